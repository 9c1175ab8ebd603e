import type { TemplateScope } from "../liquid/template-renderer.ts";
import type { OperationContext } from "../operation/operation-context.ts";

/** What the templates of an operation can read: values by tag, the history, and after the main call its answer. */
export function templateScopeOf({
  artifacts,
  chatHistory,
  main,
  vars,
}: OperationContext): Omit<TemplateScope, "value"> {
  const scope = { art: valuesByTag(artifacts), chatHistory, vars };
  return main === undefined
    ? scope
    : { ...scope, main: { text: main.text, finishReason: main.finishReason } };
}

/** Values by tag, without their versions and histories. */
export function valuesByTag(
  artifacts: Readonly<Record<string, { value: unknown }>>,
): Record<string, unknown> {
  return Object.fromEntries(Object.entries(artifacts).map(([tag, { value }]) => [tag, value]));
}
