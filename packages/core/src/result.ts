/** One thing that is wrong with an input, named so that a program can act on it and a person can fix it. */
export interface Issue {
  /** A stable code; the set is closed for a major version of the package that gives it. */
  code: string;
  /** Where in the input: object keys and array indexes from the root; empty for the input as a whole. */
  path: (string | number)[];
  /** What is wrong, with the offending value, and what to do. Never holds a secret. */
  message: string;
  /** Absent means "error"; a warning never turns a result into a failure. */
  severity?: "error" | "warning" | undefined;
}

/** The answer of a function whose bad input is expected: a checked value, or every issue at once. */
export type Result<T> = { ok: true; value: T } | { ok: false; issues: Issue[] };

/** Wraps a checked value as a success. */
export function success<T>(value: T): { ok: true; value: T } {
  return { ok: true, value };
}

/** Wraps one or more issues as a failure. */
export function failure(...issues: [Issue, ...Issue[]]): { ok: false; issues: Issue[] } {
  return { ok: false, issues };
}
