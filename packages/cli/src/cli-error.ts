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
  /** Interrupted by a signal or at a question. */
  | "aborted";

/** What the commands throw themselves; the libraries' errors pass through as they are. */
export class CliError extends CclError<CliErrorCode> {
  static override readonly brand: string = "CliError";
}

/** Turns refused input into an error that carries every issue. */
export function inputError(issues: Issue[]): CliError {
  return new CliError("input_invalid", issues.map((issue) => issue.message).join("\n"), { details: { issues } });
}
