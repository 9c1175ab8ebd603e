import type { Issue } from "@ccl/core";
import { nearestHint, quotedName } from "../plan/nearest-name.ts";
import type { PlanColumn } from "../plan/typed-plan.ts";
import { warningCodes, type PlanIssueCode } from "./plan-issue.ts";

/** Path in the plan. */
export type IssuePath = (string | number)[];

/** Columns that an expression may read, and where to report issues. */
export interface Scope {
  columns: ReadonlyMap<string, PlanColumn>;
  /** Name of the step that has these columns. */
  step: string;
  /** Value of `now()`, if the plan is about to run. */
  now: string | undefined;
  report: Report;
}

/** Reports an issue and returns undefined. */
export type Report = (code: PlanIssueCode, path: IssuePath, message: string) => undefined;

/** Creates a `Report` that appends to a list. */
export function reportInto(issues: Issue[]): Report {
  return (code, path, message) => {
    const severity = warningCodes.has(code) ? { severity: "warning" as const } : {};
    issues.push({ code, path, message, ...severity });
    return undefined;
  };
}

/** Returns ` Did you mean "x"?`, or the first existing names. */
export function nameHint(wanted: string, names: Iterable<string>): string {
  const all = [...names];
  const near = nearestHint(wanted, all);
  if (near !== "" || all.length === 0) return near;
  const shown = all.slice(0, 8).map(quotedName).join(", ");
  return ` There ${all.length === 1 ? "is" : "are"} ${shown}${all.length > 8 ? ` and ${all.length - 8} more` : ""}.`;
}

/** Finds a column by name. If there is none, reports an issue that names the nearest one and returns undefined. */
export function findColumn(scope: Scope, name: string, path: IssuePath): PlanColumn | undefined {
  const column = scope.columns.get(name);
  if (column !== undefined) return column;
  const hint = nameHint(name, scope.columns.keys());
  return scope.report(
    "column_unknown",
    path,
    `Step ${quotedName(scope.step)} has no column ${quotedName(name)}.${hint}`,
  );
}

/** Returns the values, or undefined if any is missing. */
export function allKnown<Value>(values: readonly (Value | undefined)[]): Value[] | undefined {
  const known = values.filter((value) => value !== undefined);
  return known.length < values.length ? undefined : known;
}
