import type { Issue } from "@ccl/core";
import { nearestHint, quotedName } from "../plan/nearest-name.ts";
import type { PlanColumn, TypedStep } from "../plan/typed-plan.ts";
import { warningCodes, type PlanIssueCode } from "./plan-issue.ts";

/** What an expression may read, and where to report issues. */
export interface Scope {
  /** The step whose columns the expression reads. */
  input: TypedStep;
  /** Value of `now()`, if the plan is about to run. */
  now: string | undefined;
  /** Reports an issue with the expression and returns undefined. */
  report(code: PlanIssueCode, message: string): undefined;
}

/** Reports an issue and returns undefined. */
export type Report = (code: PlanIssueCode, path: (string | number)[], message: string) => undefined;

/** Creates a `Report` that appends to a list. Its paths are relative to `place`. */
export function reportInto(issues: Issue[], place: (string | number)[] = []): Report {
  return (code, path, message) => {
    const severity = warningCodes.has(code) ? { severity: "warning" as const } : {};
    issues.push({ code, path: [...place, ...path], message, ...severity });
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
export function findColumn({ input, report }: Scope, name: string): PlanColumn | undefined {
  const names = input.columns.map((column) => column.name);
  return (
    input.columns[names.indexOf(name)] ??
    report(
      "column_unknown",
      `Step ${quotedName(input.name)} has no column ${quotedName(name)}.${nameHint(name, names)}`,
    )
  );
}

/** Returns the values, or undefined if any is missing. */
export function allKnown<Value>(values: readonly (Value | undefined)[]): Value[] | undefined {
  const known = values.filter((value) => value !== undefined);
  return known.length < values.length ? undefined : known;
}
