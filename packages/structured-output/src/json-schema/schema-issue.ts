import { type Issue, redactSecrets, type Result } from "@ccl/core";

const maxIssues = 200;
const maxQuotedCharacters = 200;
const maxShownCharacters = 60;

/** One broken schema rule. `value` is the offending value, absent if unknown. */
export interface BrokenRule {
  /** The JSON Schema keyword, or the schema library's issue code. */
  rule: string;
  path: (string | number)[];
  reason: string;
  value?: { shown: unknown } | undefined;
}

/** Converts the first 200 broken rules to issues, and counts the rest. Each message starts with the rule's name. */
export function schemaIssues(broken: readonly BrokenRule[]): Issue[] {
  const issues = broken.slice(0, maxIssues).map(({ rule, path, reason, value }) => {
    const shown = value === undefined ? undefined : describeValue(value.shown);
    return schemaIssue(path, `${rule}: ${reason}${shown === undefined ? "" : ` (got ${shown})`}`);
  });
  const left = broken.length - maxIssues;
  return left > 0 ? [...issues, schemaIssue([], `${left} more rules are broken.`)] : issues;
}

/** Runs a recursive check. A value nested too deep for the stack does not fit. */
export function withinStack<T>(check: () => Result<T>): Result<T> {
  try {
    return check();
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    const message = "depth: the value is nested too deep to be checked";
    return { ok: false, issues: [schemaIssue([], message)] };
  }
}

function schemaIssue(path: (string | number)[], message: string): Issue {
  return { code: "ERR_SCHEMA_VALIDATION", path, message };
}

/**
 * Describes a value for a message. Short scalars are quoted with secrets masked, other values are shown by type and
 * size. Undefined if there is nothing to show.
 */
function describeValue(value: unknown): string | undefined {
  if (value === undefined) return undefined;
  if (Array.isArray(value)) return `an array of ${value.length}`;
  if (typeof value === "object" && value !== null) return "an object";
  if (typeof value !== "string") return String(value);
  const size = `a string of ${value.length} characters`;
  if (value.length > maxQuotedCharacters) return size;
  const masked = JSON.stringify(redactSecrets(value).text);
  return masked.length > maxShownCharacters ? size : masked;
}
