import { hasParameters, scanColumns } from "../connector/scan-columns.ts";
import { simpleCondition } from "../connector/simple-condition.ts";
import { shownName } from "../physical/derived-name.ts";
import { pushFilters } from "../physical/push-filters.ts";
import {
  columnsOf,
  conjunctsOf,
  typedInputsOf,
  type TypedExpression,
  type TypedScan,
  type TypedStep,
} from "../plan/typed-plan.ts";
import { quotedName, type Report } from "./check-context.ts";

/**
 * Checks that every scan of an API or a function has its required arguments, and that names which only exist as
 * arguments are compared by `=` or `in` with constants.
 */
export function checkParameters(steps: readonly TypedStep[], report: Report): void {
  if (!steps.some((step) => step.op === "scan" && hasParameters(step.resource))) return;
  const pushed = pushFilters(steps);
  for (const scan of pushed) {
    if (scan.op !== "scan") continue;
    const index = steps.findIndex(({ name }) => name === shownName(scan.name));
    const ways = conditionsOver(scan, pushed);
    for (const [name, { isParameter, isInRows, isRequired }] of scanColumns(scan.resource)) {
      if (!isParameter) continue;
      const isGiven = ways.every((way) => way.some((part) => isArgument(part, name)));
      if (isRequired && !isGiven) {
        const message = `${quotedName(scan.resource.id)} needs a value for ${quotedName(name)}: scan the column, and filter it by = or in with constants.`;
        report("parameter_missing", ["steps", index], message);
      }
      const misused = ways
        .flat()
        .find((part) => columnsOf(part).includes(name) && !isArgument(part, name));
      if (isInRows || misused === undefined) continue;
      const message = `${quotedName(name)} is an argument of ${quotedName(scan.resource.id)}, not a column of its rows: compare it by = or in with constants, in a condition of its own.`;
      report("parameter_misused", ["steps", index], message);
    }
  }
}

/** True for a condition that gives a value to the named argument. */
function isArgument(part: TypedExpression, name: string): boolean {
  const condition = simpleCondition(part);
  return condition?.column === name && (condition.operator === "eq" || condition.operator === "in");
}

/** The conditions directly above a scan, one list per step that reads it. A list is empty if there is no filter. */
function conditionsOver(scan: TypedScan, steps: readonly TypedStep[]): TypedExpression[][] {
  const readers = steps.filter((step) => typedInputsOf(step).includes(scan.name));
  if (readers.length === 0) return [[]];
  return readers.map((reader) => (reader.op === "filter" ? conjunctsOf(reader.where) : []));
}
