import { CclError } from "@ccl/core";

/**
 * `budget_exceeded` carries a `BudgetBreakdown` in `details`; `invalid_messages` the index of the message;
 * `invalid_state` what is wrong with it. `invalid_schema`: a JSON Schema of a tool does not compile. `invalid_event`: the data of an event does not fit its kind, see `details.issues`. `history_changed`: a transcript no longer begins with what was recorded of it. `evidence_invalid`: hashes do not hold.
 * `summary_failed`: a model's summary does not fit; `compile` keeps the facts then.
 */
export type ContextCompilerErrorCode =
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

/** What this package throws. */
export class ContextCompilerError extends CclError<ContextCompilerErrorCode> {
  static override readonly brand: string = "ContextCompilerError";
}
