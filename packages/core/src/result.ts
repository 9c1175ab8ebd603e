/**
 * A problem with an input. The code is for programs, and the message explains to a person what to
 * fix.
 */
export interface Issue {
  /** A stable code. The set is closed within a major version of the package that reports it. */
  code: string;
  /**
   * The location in the input: object keys and array indexes from the root. Empty for the input as
   * a whole.
   */
  path: (string | number)[];
  /** Describes what is wrong, with the offending value, and what to do. Never contains a secret. */
  message: string;
  /** Absent means "error". A warning alone never makes a result a failure. */
  severity?: "error" | "warning" | undefined;
}

/** The result of a function that expects bad input: either a checked value or all issues. */
export type Result<T> = { ok: true; value: T } | { ok: false; issues: Issue[] };

/** Wraps a checked value as a success. */
export function success<T>(value: T): { ok: true; value: T } {
  return { ok: true, value };
}

/** Wraps one or more issues as a failure. */
export function failure(...issues: [Issue, ...Issue[]]): { ok: false; issues: Issue[] } {
  return { ok: false, issues };
}
