import { CclError } from "@ccl/core";

/**
 * `budget_exceeded` carries a `BudgetBreakdown` in `details`; `invalid_messages` the index of the message;
 * `invalid_state` what is wrong with it. `invalid_schema`: a JSON Schema of a tool does not compile. `invalid_event`: the data of an event does not fit its kind, see `details.issues`. `conflict`: another writer added to
 * the session first. `history_changed`: a transcript no longer begins with what was recorded of it. `store_damaged`: what
 * a session store holds is not what was written; `store_failed`: see `cause`. `evidence_invalid`: hashes do not hold.
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
  | "conflict"
  | "history_changed"
  | "store_damaged"
  | "store_failed"
  | "evidence_invalid"
  | "summary_failed"
  | "closed"
  | "aborted";

/** What this package throws. */
export class ContextCompilerError extends CclError<ContextCompilerErrorCode> {
  static override readonly brand: string = "ContextCompilerError";
}
