import type { TemplateScope } from "../liquid/template-renderer.ts";
import type { OperationContext } from "../operation/operation-definition.ts";

/** Returns what an operation's templates can read: values by tag, the history, and after the main call its answer. */
export function templateScopeOf({
  artifacts,
  chatHistory,
  main,
  vars,
}: OperationContext): Omit<TemplateScope, "value"> {
  const shown = main && { text: main.text, finishReason: main.finishReason };
  return { art: valuesByTag(artifacts), chatHistory, vars, main: shown };
}

/** Returns values by tag, without versions or histories. */
export function valuesByTag(
  artifacts: Readonly<Record<string, { value: unknown }>>,
): Record<string, unknown> {
  return Object.fromEntries(Object.entries(artifacts).map(([tag, { value }]) => [tag, value]));
}
