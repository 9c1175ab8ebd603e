import { hasParameters, scanColumns } from "../connector/scan-columns.ts";
import { simpleCondition } from "../connector/simple-condition.ts";
import { readerCount, scanConditions } from "../scans/scan-conditions.ts";
import { columnsOf, type TypedExpression, type TypedStep } from "../plan/typed-plan.ts";
import { quotedName } from "../plan/nearest-name.ts";
import { type Report } from "./check-context.ts";

/**
 * Checks that every scan of an API or function has its required arguments, and that columns which exist only as
 * arguments are compared with constants using `=` or `in`.
 */
export function checkParameters(steps: readonly TypedStep[], report: Report): void {
  if (!steps.some((step) => step.op === "scan" && hasParameters(step.resource))) return;
  const conditions = scanConditions(steps);
  for (const [index, scan] of steps.entries()) {
    if (scan.op !== "scan" || !hasParameters(scan.resource)) continue;
    const id = quotedName(scan.resource.id);
    const misuse = (message: string): undefined =>
      report("parameter_misused", ["steps", index], message);
    if (readerCount(steps, scan.name) > 1) {
      misuse(`${id} takes arguments: give each step that reads it its own scan.`);
      continue;
    }
    const parts = conditions.get(scan.name) ?? [];
    for (const [name, { isParameter, isInRows, isRequired }] of scanColumns(scan.resource)) {
      if (!isParameter) continue;
      const others = parts.filter((part) => !isArgument(part, name));
      if (isRequired && others.length === parts.length) {
        const message = `${id} needs a value for ${quotedName(name)}: scan the column, and filter it by = or in with constants.`;
        report("parameter_missing", ["steps", index], message);
      }
      if (!isInRows && others.some((part) => columnsOf(part).includes(name)))
        misuse(
          `${quotedName(name)} is an argument of ${id}, not a column of its rows: compare it by = or in with constants, in a separate condition.`,
        );
    }
  }
}

/** True if the condition sets the named argument. */
function isArgument(part: TypedExpression, name: string): boolean {
  const condition = simpleCondition(part);
  return condition?.column === name && (condition.operator === "eq" || condition.operator === "in");
}
