import { CclError } from "@ccl/core";

/**
 * `budget_exceeded` has a `BudgetBreakdown` in `details`, `invalid_messages` the index of the
 * message, and `invalid_state` the problem. `invalid_schema`: a tool's JSON Schema does not
 * compile. `invalid_event`: an event's data does not fit its kind, see `details.issues`.
 * `history_changed`: a transcript no longer begins with its recorded messages. `evidence_invalid`:
 * hashes do not match. `summary_failed`: a model's summary does not fit, so `compile` keeps the
 * facts.
 */
type ContextCompilerErrorCode =
  | "budget_missing"
  | "budget_exceeded"
  | "invalid_messages"
  | "invalid_options"
  | "invalid_schema"
  | "invalid_state"
  | "invalid_event"
  | "history_changed"
  | "evidence_invalid"
  | "summary_failed"
  | "closed"
  | "aborted";

/** The error class of this package. */
export class ContextCompilerError extends CclError<ContextCompilerErrorCode> {
  static override readonly brand: string = "ContextCompilerError";
}
