import type { ChatMessage, TokenCounter, ToolDescription } from "@ccl/core";
import type { ContextRecorder } from "@ccl/core/tracing";

import type { FitState } from "./fit-state.ts";
import type { FitTraceEntry } from "./fit-trace.ts";

/**
 * Content that must never be dropped or shortened: messages, ranges of indexes (`to` excluded), or a function that
 * decides.
 */
export type PinRule =
  | ((message: ChatMessage, index: number) => boolean)
  | readonly (ChatMessage | { from: number; to: number })[];

/** A range of the input that is replaced by a marker. */
export interface ElidedRange {
  /**
   * Indexes into the input: `from` included, `to` excluded. Pinned messages split ranges, so
   * everything in a range is dropped.
   */
  from: number;
  to: number;
  /** Number of dropped messages, and their original token count. */
  messages: number;
  tokens: number;
}

/** How far a cut goes. */
export interface CutOptions {
  /**
   * How full a cut leaves the usable budget, as a share of what the required messages leave free. The rest is room to
   * grow before the next cut. 1 without a `state`, 0.6 with one. `policy` also sets it.
   */
  cutTo?: number | undefined;
  /**
   * `balanced` cuts to 0.6, or to 0.25 if half of the last calls run commands or edit files. A coding agent soon
   * replaces what it has read, and names are enough for content that it uses again. `economy` cuts to 0.1 once the
   * prompt exceeds 8,000 tokens and three quarters of the room. It suits users who pay per token and can work with less
   * context.
   */
  policy?: "balanced" | "economy" | undefined;
}

/** How to fit a history. */
export interface FitOptions extends CutOptions {
  /** Token limit for messages and tools, as the provider counts them. There is no default. */
  budget: number;
  /**
   * Counts like the target's tokenizer. Core's estimate by default. The count of several messages should equal the sum
   * of their counts. Otherwise the whole prompt is counted each time.
   */
  counter?: TokenCounter | undefined;
  /**
   * Share of the budget to hold back, from 0 to below 1. With an exact counter, 0 by default. With an estimate, 0.1,
   * adjusted by the provider's counts in the `state`.
   */
  safetyMargin?: number | undefined;
  /** Tools are part of the prompt and are counted along with the messages. */
  tools?: readonly ToolDescription[] | undefined;
  /**
   * The state returned by the last call for this conversation. It preserves the cut, and with it the provider's cached
   * prefix.
   */
  state?: FitState | undefined;
  /**
   * True if the last prompt is no longer in the provider's cache, for example because the user was away for longer than
   * the cache's lifetime. The prompt then costs its full price, so it is cut halfway between `cutTo` and the full room.
   */
  isCacheCold?: boolean | undefined;
  /** Pins more than the system prompt and the user's first and last turns. Calls and results stay together. */
  pin?: PinRule | undefined;
  /**
   * Share of the usable budget's free room within which results that the model has not read yet are shown whole. 0.5 by
   * default. If they need more than `cutTo` leaves, the cut ignores `cutTo` and fills the budget.
   */
  firstSight?: number | undefined;
  /**
   * Token limit for the facts that a marker keeps from dropped messages: the user's words, identifiers, short values.
   * By default a sixth of the budget up to 1,200 tokens (1,800 for a coding agent), or 3 % of a large budget.
   */
  keptFactsTokens?: number | undefined;
  /** Returns how to get the rest of a shortened message, such as the call that reads its artifact. */
  restHint?: ((message: ChatMessage, index: number) => string | undefined) | undefined;
  /**
   * Receives a record of what happened to each message, e.g. `recordTo(folder)` of @ccl/inspector.
   */
  record?: ContextRecorder | undefined;
  /**
   * Returns a summary of a dropped range, which replaces the facts. Called once, at the cut, and frozen along with it.
   */
  summaryOf?: ((range: ElidedRange) => string | undefined) | undefined;
}

/** A prompt that fits its budget. */
export interface FittedMessages {
  messages: ChatMessage[];
  /** Index of each message in the input. -1 for an added message, such as a marker. */
  sources: number[];
  /** Token count by the caller's counter, including tools and the reasoning in `providerMetadata`. */
  tokens: number;
  trace: FitTraceEntry[];
  /** State to pass to the next call. Plain JSON. */
  state: FitState;
  /** Tokens at the start of the prompt, tools first, that are equal to the last call's prompt. 0 without a state. */
  prefixStableTokens: number;
  /** Index of the first message that is new or differs from the last prompt. */
  firstChangedMessage: number;
  /** Up to 4 message indexes after which a cache breakpoint pays off, ascending. */
  breakpoints: number[];
}
