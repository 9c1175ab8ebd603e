import type { Issue } from "@ccl/core";

import { describeValue } from "./describe-value.ts";

/** The most issues that one check reports; what is left out is counted in a last one. */
const maxIssues = 200;

/** One broken rule of a schema. `value` is the offending value, absent where it isn't known. */
export interface BrokenRule {
  /** The keyword of JSON Schema or the issue code of the schema's library. */
  rule: string;
  path: (string | number)[];
  reason: string;
  value?: { shown: unknown } | undefined;
}

/** The first 200 faults as issues, their messages starting with the rule's name, and a count of the others. */
export function schemaIssues<Fault>(
  faults: readonly Fault[],
  explain: (fault: Fault) => BrokenRule,
): Issue[] {
  const issues = faults.slice(0, maxIssues).map((fault) => {
    const { rule, path, reason, value } = explain(fault);
    const shown = value === undefined ? undefined : describeValue(value.shown);
    return schemaIssue(path, `${rule}: ${reason}${shown === undefined ? "" : ` (got ${shown})`}`);
  });
  const left = faults.length - maxIssues;
  return left > 0 ? [...issues, schemaIssue([], `${left} more rules are broken.`)] : issues;
}

function schemaIssue(path: (string | number)[], message: string): Issue {
  return { code: "ERR_SCHEMA_VALIDATION", path, message };
}

/** The value that a path leads to. */
export function valueAt(root: unknown, path: readonly (string | number)[]): unknown {
  let value = root;
  for (const step of path) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, step))
      return undefined;
    value = Reflect.get(value, step);
  }
  return value;
}
