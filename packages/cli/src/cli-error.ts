import { CclError, type Issue, type Result } from "@ccl/core";

/** Why a command failed. */
export type CliErrorCode =
  /** The command line itself is wrong. */
  | "usage"
  /** A value on the command line is invalid. `details.issues` lists why. */
  | "input_invalid"
  /** The command needs a project that `ccl init` has set up. */
  | "not_initialized"
  /** No clipboard program was found, and the terminal cannot copy the text either. */
  | "clipboard_unavailable"
  /** The task alone exceeds the budget. */
  | "budget_exceeded"
  /** A plan does not match its schema, its mode or the files. `details.issues` lists why. */
  | "plan_refused"
  /** A check that passed before failed after the change. The change was rolled back. */
  | "checks_failed"
  /** A plan deletes something but was not confirmed. */
  | "confirmation_required"
  /** The files changed since the plan was written, or an earlier plan was left unfinished. */
  | "plan_conflict"
  /** A plan could not be applied and was rolled back. */
  | "apply_failed"
  /** The limits on calls, tokens or cost do not allow the next model call. */
  | "spending_limit"
  /** A source of the catalog (a database, server or file) does not answer or cannot be read. */
  | "source_failed"
  /** Interrupted by a signal or at a prompt. */
  | "aborted";

/** Errors of the commands themselves. Errors of the libraries pass through unchanged. */
export class CliError extends CclError<CliErrorCode> {
  static override readonly brand: string = "CliError";
}

/** Creates the error of a wrong command line. The message says what to pass instead. */
export function usageError(message: string, cause?: unknown): CliError {
  return new CliError("usage", message, { cause });
}

/**
 * Returns the value of a check that passed. @throws CliError `input_invalid` with all issues, each named after its
 * source
 */
export function requireValid<Value>(result: Result<Value>, source?: string): Value {
  if (result.ok) return result.value;
  const before = source === undefined ? "" : `${source}: `;
  throw inputError(
    result.issues.map((issue) => {
      const isFar = issue.code === "alias_unknown" && !issue.message.includes("Nearest:");
      const next = isFar ? ' "ccl pack" shows all names.' : "";
      return { ...issue, message: before + issue.message + next };
    }),
  );
}

/** Returns the message of anything thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Converts rejected input to an error that lists every issue. */
export function inputError(issues: Issue[]): CliError {
  return new CliError("input_invalid", issues.map((issue) => issue.message).join("\n"), {
    details: { issues },
  });
}
