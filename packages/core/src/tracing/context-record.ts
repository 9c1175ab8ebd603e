/** The kind of a part of a prompt. */
export type PartKind =
  | "tools"
  | "system"
  | "user"
  | "assistant"
  | "reasoning"
  | "call"
  | "result"
  | "media";

/** The content of a part, and the tokens that it takes. */
export interface PartContent {
  tokens: number;
  /** Absent if the text was not recorded. */
  text?: string | undefined;
  /**
   * SHA-256 in hex of the whole content, which for an image is more than its text. If it is absent,
   * a log computes it from the text.
   */
  hash?: string | undefined;
}

/** A part of a prompt in its original form. An added part has 0 tokens here. */
export interface ContextPart extends PartContent {
  kind: PartKind;
  /** The tool of a call or a result. */
  tool?: string | undefined;
  /** The same for a call and its result. */
  callId?: string | undefined;
  /**
   * The part as the model read it, and what was done to it. Absent if it was sent unchanged. A
   * `dropped` part has 0 tokens here.
   */
  sent?: (PartContent & { form: string; why?: string | undefined }) | undefined;
  /** How to retrieve the whole content, such as the id of its artifact. */
  handle?: string | undefined;
}

/** One prompt: the parts that were available, what was sent of them, and the result. */
export interface ContextRecord {
  /**
   * A record replaces an earlier one with the same id, for example once the provider's usage is
   * known.
   */
  id: string;
  session: string;
  /** What created the prompt: `withContext`, `fitMessages`, `compile`, `gateway` or `operations`. */
  source: string;
  /** Milliseconds since the epoch. */
  timeMs: number;
  model?: string | undefined;
  /** Token limit of the prompt. */
  budget?: number | undefined;
  /** In the order in which the model read them. */
  parts: readonly ContextPart[];
  /** Input tokens, reported by the provider. */
  reported?: { total: number; cached: number } | undefined;
  durationMs?: number | undefined;
  /** The HTTP status of the answer. */
  status?: number | undefined;
  /** Why the prompt was sent unchanged. */
  reason?: string | undefined;
  /** The cost at list prices, and what the original prompt would have cost. */
  usd?: number | undefined;
  directUsd?: number | undefined;
}

/**
 * Receives a record of each prompt. `recordTo` of @ccl/inspector is one. Without a recorder, nothing
 * is recorded.
 */
export interface ContextRecorder {
  /** Must not throw. Text is recorded unchanged, including any secrets. */
  add(record: ContextRecord): void;
}
