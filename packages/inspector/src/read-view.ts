import { InspectorError } from "./inspector-error.ts";
import type { InspectorSource, InspectorViews, ViewName, ViewParameters } from "./views.ts";

/** A view's parameters, and a signal. */
export interface ReadViewOptions {
  parameters: ViewParameters;
  signal: AbortSignal;
}

/**
 * Reads a view as data, in the same form as the page receives it.
 * @throws InspectorError `unknown_view`, and errors of the source
 */
export async function readView(
  source: InspectorSource,
  name: string,
  { parameters, signal }: ReadViewOptions,
): Promise<InspectorViews[ViewName]> {
  const read = isView(source, name) ? source[name] : undefined;
  if (read === undefined) {
    const known = Object.keys(source).sort().join(", ");
    throw new InspectorError("unknown_view", `Unknown view "${name}". Known views: ${known}.`);
  }
  return read(parameters, { signal });
}

function isView(source: InspectorSource, name: string): name is ViewName {
  return Object.hasOwn(source, name);
}
