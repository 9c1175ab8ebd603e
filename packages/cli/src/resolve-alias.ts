import type { AliasContent, AliasRegistry } from "@ccl/aliases";

import { inputError } from "./cli-error.ts";
import type { Session } from "./session.ts";

/** The file behind an alias that the user typed; the error names the nearest ones. */
export async function resolveAlias(
  registry: AliasRegistry,
  alias: string,
  session: Session,
): Promise<AliasContent> {
  const resolved = await registry.resolve(alias, { signal: session.signal });
  if (!resolved.ok) throw inputError(resolved.issues);
  return resolved.value;
}
