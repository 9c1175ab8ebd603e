/** What a part of a prompt is. */
export type PartKind =
  | "tools"
  | "system"
  | "user"
  | "assistant"
  | "reasoning"
  | "call"
  | "result"
  | "media";

/** What a part says, and what that takes. */
export interface PartContent {
  tokens: number;
  /** Absent where it was not kept. */
  text?: string | undefined;
  /** SHA-256 in hex of all that it says, which of a picture is more than its text. A log computes it from the text where it is absent. */
  hash?: string | undefined;
}

/** A part of a prompt as it came; those that were added take no tokens as they came. */
export interface ContextPart extends PartContent {
  kind: PartKind;
  /** The tool of a call or a result. */
  tool?: string | undefined;
  /** Ties a call and its result together. */
  callId?: string | undefined;
  /** As the model read it, and what was done to it; absent where that is how it came. `dropped` takes no tokens. */
  sent?: (PartContent & { form: string; why?: string | undefined }) | undefined;
  /** How to get the whole, such as the id of its artifact. */
  handle?: string | undefined;
}

/** One prompt: what there was to send, what was sent, and what became of it. */
export interface ContextRecord {
  /** A record with the id of an earlier one takes its place, such as once the provider's usage is known. */
  id: string;
  session: string;
  /** What wrote the prompt: `withContext`, `fitMessages`, `compile`, `gateway` or `operations`. */
  source: string;
  /** Milliseconds since the epoch. */
  timeMs: number;
  model?: string | undefined;
  /** Tokens that the prompt may take. */
  budget?: number | undefined;
  /** In the order in which the model read them. */
  parts: readonly ContextPart[];
  /** Input tokens as the provider reported them. */
  reported?: { total: number; cached: number } | undefined;
  durationMs?: number | undefined;
  /** The HTTP status of the answer. */
  status?: number | undefined;
  /** Why the prompt went out as it came. */
  reason?: string | undefined;
  /** What it cost at list prices, and would have cost as it came. */
  usd?: number | undefined;
  directUsd?: number | undefined;
}

/** Takes what was done to prompts, such as `recordTo` of @ccl/inspector; without one nothing is recorded. */
export interface ContextRecorder {
  /** Must not throw. The texts are those of the prompt, with whatever secrets it has. */
  add(record: ContextRecord): void;
}
