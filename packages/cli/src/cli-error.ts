import { CclError, type Issue } from "@ccl/core";

/** Why a command stopped. */
export type CliErrorCode =
  /** The command line itself is wrong. */
  | "usage"
  /** A value of the command line was refused; `details.issues` lists why. */
  | "input_invalid"
  /** The command needs a project that `ccl init` has set up. */
  | "not_initialized"
  /** No clipboard program was found and the terminal cannot take the text either. */
  | "clipboard_unavailable"
  /** Not even the task fits the budget. */
  | "budget_exceeded"
  /** A plan does not fit its schema, its mode or the files; `details.issues` lists why. */
  | "plan_refused"
  /** A check failed after a change that passed before it; the change was rolled back. */
  | "checks_failed"
  /** A plan deletes something, and nobody agreed to that. */
  | "confirmation_required"
  /** The files are not what the plan was made for, or an earlier plan was left unfinished. */
  | "plan_conflict"
  /** A plan could not be carried out, and was rolled back. */
  | "apply_failed"
  /** The limits on calls, tokens or money leave no room for the next call to the model. */
  | "spending_limit"
  /** A database, a server or a file that the catalog is made from does not answer or can't be read. */
  | "source_failed"
  /** Interrupted by a signal or at a question. */
  | "aborted";

/** What the commands throw themselves; the libraries' errors pass through as they are. */
export class CliError extends CclError<CliErrorCode> {
  static override readonly brand: string = "CliError";
}

/** Turns refused input into an error that carries every issue. */
export function inputError(issues: Issue[]): CliError {
  return new CliError("input_invalid", issues.map((issue) => issue.message).join("\n"), {
    details: { issues },
  });
}
