import type { FunctionName } from "../plan/functions.ts";
import { partsOf, type TypedExpression } from "../plan/typed-plan.ts";

/** Maximum parts of one expression in SQL. */
export const maxWrittenSize = 50_000;

/** How often a database's SQL repeats an argument of a call. 1 by default. */
const repeats: Partial<Record<FunctionName, number>> = {
  round: 6,
  ends_with: 4,
  starts_with: 2,
  between: 2,
  extract: 2,
};

/** How many parts an expression has as SQL. */
export function writtenSize(expression: TypedExpression): number {
  const inner = partsOf(expression).reduce((sum, part) => sum + writtenSize(part), 0);
  const isRounding =
    expression.op === "cast" && expression.value.type.kind !== expression.type.kind;
  const times = expression.op === "call" ? (repeats[expression.function] ?? 1) : isRounding ? 6 : 1;
  return 1 + inner * times;
}
