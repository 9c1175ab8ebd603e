/** What happened to some input messages, and why. Token counts refer to the messages in the prompt. */
export interface FitTraceEntry {
  action: "dropped" | "repaired" | "compacted" | "truncated" | "reset";
  reason: FitReason;
  /** Input messages that this entry describes, as indexes: `from` included, `to` excluded. */
  from: number;
  to: number;
  /** The message's `id`, if the entry describes a single message that has one. */
  messageId?: string | undefined;
  tokensBefore: number;
  tokensAfter: number;
}

/**
 * `budget`: cut to fit. `empty`: no content. `orphaned_result`, `duplicate_result`: a result that answers no open call.
 * `duplicate_call`, `unanswered_call`: a call that was repaired. `misplaced_calls`: calls outside an assistant message.
 * `no_user_first`: a marker had to start the conversation. `state_mismatch`: the state belongs to other messages.
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
