import { type Result, success } from "@ccl/core";

import { StructuredOutputError } from "../structured-output-error.ts";
import { stringAt, valueAt } from "@ccl/core/json";
import { type BrokenRule, schemaIssues } from "../json-schema/schema-issue.ts";
import type { StandardIssue, StandardSchema } from "./structured-schema.ts";

/**
 * Checks a value with the schema's own library.
 * @throws StructuredOutputError `schema_unsupported` for an asynchronous schema
 */
export function checkStandardSchema<T>(schema: StandardSchema<T>, value: unknown): Result<T> {
  const outcome = schema["~standard"].validate(value);
  if (outcome instanceof Promise) {
    // Prevents an unhandled rejection.
    outcome.catch(() => undefined);
    throw new StructuredOutputError(
      "schema_unsupported",
      `The ${schema["~standard"].vendor} schema checks asynchronously; move the asynchronous part after parsing.`,
    );
  }
  if (outcome.issues === undefined) return success(outcome.value);
  return {
    ok: false,
    issues: schemaIssues(outcome.issues.flatMap((issue) => brokenRules(issue, [], value))),
  };
}

function brokenRules(
  issue: StandardIssue,
  parent: (string | number)[],
  root: unknown,
): BrokenRule[] {
  const path = [...parent, ...(issue.path ?? []).map((step) => plainStep(step))];
  const closest = closestBranch(issue);
  if (closest !== undefined) return closest.flatMap((inner) => brokenRules(inner, path, root));
  const rule = stringAt(issue, "code") ?? "schema";
  return [{ rule, path, reason: issue.message, value: { shown: valueAt(root, path) } }];
}

/**
 * Finds the likeliest branch: one whose root fits, then the one with the fewest issues. zod hides issues inside union
 * branches.
 */
function closestBranch(issue: StandardIssue): StandardIssue[] | undefined {
  if (!("errors" in issue) || !Array.isArray(issue.errors)) return undefined;
  const branches: unknown[] = issue.errors;
  return branches
    .filter((branch) => isIssueList(branch))
    .sort((a, b) => Number(isOtherKind(a)) - Number(isOtherKind(b)) || a.length - b.length)[0];
}

/** True if the value itself does not fit, rather than its members. */
function isOtherKind(branch: readonly StandardIssue[]): boolean {
  return branch.some(
    (issue) => (issue.path ?? []).length === 0 && stringAt(issue, "code") !== "unrecognized_keys",
  );
}

function isIssueList(value: unknown): value is StandardIssue[] {
  return (
    Array.isArray(value) &&
    value.length > 0 &&
    value.every((item) => stringAt(item, "message") !== undefined)
  );
}

function plainStep(step: PropertyKey | { readonly key: PropertyKey }): string | number {
  const key = typeof step === "object" ? step.key : step;
  return typeof key === "symbol" ? String(key) : key;
}
