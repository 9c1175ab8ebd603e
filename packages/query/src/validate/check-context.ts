import type { Issue } from "@ccl/core";
import { nearestHint, quotedName } from "../plan/nearest-name.ts";
import type { PlanColumn } from "../plan/typed-plan.ts";
import { warningCodes, type PlanIssueCode } from "./plan-issue.ts";

/** The path in the plan. */
export type IssuePath = (string | number)[];

/** The columns that an expression may read, and where issues are reported. */
export interface Scope {
  columns: ReadonlyMap<string, PlanColumn>;
  /** The step that has these columns. */
  step: string;
  /** The instant of `now()`, if the plan is about to run. */
  now: string | undefined;
  report: Report;
}

/** Reports an issue and returns undefined. */
export type Report = (code: PlanIssueCode, path: IssuePath, message: string) => undefined;

/** A `Report` that appends to a list. */
export function reportInto(issues: Issue[]): Report {
  return (code, path, message) => {
    const severity = warningCodes.has(code) ? { severity: "warning" as const } : {};
    issues.push({ code, path, message, ...severity });
    return undefined;
  };
}

/** ` Did you mean "x"?`, or the first existing names. */
export function nameHint(wanted: string, names: Iterable<string>): string {
  const all = [...names];
  const near = nearestHint(wanted, all);
  if (near !== "" || all.length === 0) return near;
  const shown = all.slice(0, 8).map(quotedName).join(", ");
  return ` There ${all.length === 1 ? "is" : "are"} ${shown}${all.length > 8 ? ` and ${all.length - 8} more` : ""}.`;
}

/** The column with a name. Undefined, with an issue that names the nearest one, if there is none. */
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

/** The values, or undefined if one of them is missing. */
export function allKnown<Value>(values: readonly (Value | undefined)[]): Value[] | undefined {
  const known = values.filter((value) => value !== undefined);
  return known.length < values.length ? undefined : known;
}
