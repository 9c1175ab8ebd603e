/**
 * What happened to some messages of the input, and why. Token counts are those of the messages in
 * the prompt.
 */
export interface FitTraceEntry {
  action: "dropped" | "repaired" | "compacted" | "truncated" | "reset";
  reason: FitReason;
  /** The messages of the input that this entry describes: indexes with `from` included, `to` excluded. */
  from: number;
  to: number;
  /** The `id` of the message, if it is a single message that has one. */
  messageId?: string | undefined;
  tokensBefore: number;
  tokensAfter: number;
}

/**
 * `budget`: cut to fit. `empty`: no content. `orphaned_result`, `duplicate_result`: a result that
 * answers no open call. `duplicate_call`, `unanswered_call`: repaired calls. `misplaced_calls`:
 * calls outside an assistant message. `no_user_first`: a marker had to open the conversation.
 * `state_mismatch`: the state belongs to other messages.
 */
export type FitReason =
  | "budget"
  | "empty"
  | "orphaned_result"
  | "duplicate_result"
  | "duplicate_call"
  | "unanswered_call"
  | "misplaced_calls"
  | "no_user_first"
  | "state_mismatch";
