import type { ChatMessage, TokenCounter, ToolDescription } from "@ccl/core";
import type { ContextRecorder } from "@ccl/core/tracing";

import type { FitState } from "./fit-state.ts";
import type { FitTraceEntry } from "./fit-trace.ts";

/**
 * Content that is never dropped or shortened: messages, ranges of indexes (`to` excluded), or a
 * function that decides.
 */
export type PinRule =
  | ((message: ChatMessage, index: number) => boolean)
  | readonly (ChatMessage | { from: number; to: number })[];

/** A range of the input that a marker replaces. */
export interface ElidedRange {
  /**
   * Indexes into the input: `from` included, `to` excluded. Pinned messages split ranges, so
   * everything in a range is dropped.
   */
  from: number;
  to: number;
  /** How many messages were dropped, and their tokens as counted before. */
  messages: number;
  tokens: number;
}

/** How far a cut goes. */
export interface CutOptions {
  /**
   * How full a cut leaves the usable budget, as a share of it without the required messages. The
   * rest is room to grow before the next cut. 1 without a `state`, 0.6 with one. `policy` sets it
   * too.
   */
  cutTo?: number | undefined;
  /**
   * `balanced` cuts to 0.6, or to 0.25 if half of the last calls run commands or edit files. A
   * coding agent soon replaces what it has read, and names suffice for what it uses again.
   * `economy` cuts to 0.1 once three quarters are filled and the prompt exceeds 8,000 tokens. It
   * suits users who pay by the token and can do with less context.
   */
  policy?: "balanced" | "economy" | undefined;
}

/** How a history is fitted. */
export interface FitOptions extends CutOptions {
  /** Token limit of messages and tools, in the provider's count. There is no default. */
  budget: number;
  /**
   * Counts like the target's tokenizer. Core's estimate by default. The count of several messages
   * should be the sum of their counts. Otherwise the whole prompt is counted each time.
   */
  counter?: TokenCounter | undefined;
  /**
   * The share of the budget to hold back, from 0 to below 1. 0 by default with an exact counter. With an estimate it
   * is 0.1, adjusted by the provider's counts in the `state`.
   */
  safetyMargin?: number | undefined;
  /** Tools are part of the prompt and are counted with the messages. */
  tools?: readonly ToolDescription[] | undefined;
  /**
   * The state that the last call for this conversation returned. It keeps the cut, and so the provider's cached prefix.
   */
  state?: FitState | undefined;
  /**
   * True if the provider no longer has the last prompt in its cache, for example because the user was away for longer
   * than the cache's lifetime. The prompt costs its full price then, so it is cut halfway between `cutTo` and the full room.
   */
  isCacheCold?: boolean | undefined;
  /** Pins more than the system prompt and the user's first and last turn. Calls and results stay together. */
  pin?: PinRule | undefined;
  /**
   * The share of the usable budget's free room in which results that the model has not read yet are
   * shown whole. 0.5 by default. If they need more than `cutTo` leaves, the cut ignores `cutTo` and
   * fills the budget.
   */
  firstSight?: number | undefined;
  /**
   * How many tokens a marker keeps of the dropped messages: the user's words, identifiers, short
   * values. By default a sixth of the budget up to 1,200 tokens (1,800 for a coding agent), or 3 %
   * of a large budget.
   */
  keptFactsTokens?: number | undefined;
  /** Says how to get the rest of a shortened message, such as the call that reads its artifact. */
  restHint?: ((message: ChatMessage, index: number) => string | undefined) | undefined;
  /**
   * Receives a record of what happened to each message, e.g. `recordTo(folder)` of @ccl/inspector.
   */
  record?: ContextRecorder | undefined;
  /**
   * Returns a summary of a dropped range, to replace the facts. Called once, at the cut, and frozen
   * with it.
   */
  summaryOf?: ((range: ElidedRange) => string | undefined) | undefined;
}

/** A prompt within its budget. */
export interface FittedMessages {
  messages: ChatMessage[];
  /** Each message's index in the input. -1 for an added message, such as a marker. */
  sources: number[];
  /** Counted by the caller's counter, including tools and the reasoning in `providerMetadata`. */
  tokens: number;
  trace: FitTraceEntry[];
  /** Pass it to the next call. Plain JSON. */
  state: FitState;
  /**
   * Tokens from the start of the prompt, tools first, that equal the last call's prompt. 0 without
   * a state.
   */
  prefixStableTokens: number;
  /** The index of the first message that is new or differs from the last prompt. */
  firstChangedMessage: number;
  /** Up to 4 indexes of messages after which a cache breakpoint pays, ascending. */
  breakpoints: number[];
}
