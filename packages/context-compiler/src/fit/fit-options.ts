import type { ChatMessage, TokenCounter, ToolDescription } from "@ccl/core";
import type { ContextRecorder } from "@ccl/core/tracing";

import type { FitState } from "./fit-state.ts";
import type { FitTraceEntry } from "./fit-trace.ts";

/** What is never dropped or shortened: messages, ranges of indexes (`to` excluded), or whatever a function says. */
export type PinRule =
  | ((message: ChatMessage, index: number) => boolean)
  | readonly (ChatMessage | { from: number; to: number })[];

/** A range of the input that a marker stands for. */
export interface ElidedRange {
  /** Indexes into the input: from `from` on, below `to`. Pinned messages split ranges, so all between are gone. */
  from: number;
  to: number;
  /** What was removed, tokens as they were counted before. */
  messages: number;
  tokens: number;
}

/** How much a cut leaves. */
export interface CutOptions {
  /**
   * Of what the usable budget leaves beside that which must stay, the share that a cut leaves filled; the rest is room to
   * grow into before the next cut. 1 without a `state`, 0.6 with one; `policy` sets it too.
   */
  cutTo?: number | undefined;
  /**
   * `balanced` cuts to 0.6, and to 0.25 where half of the last calls run commands or edit files: what a coding agent has
   * read is soon superseded, and of what it uses again the names do. `economy` cuts as soon as three quarters are filled, and
   * above 8,000 tokens, to 0.1: for those who pay by the token and can do with less.
   */
  policy?: "balanced" | "economy" | undefined;
}

/** How a history is fitted. */
export interface FitOptions extends CutOptions {
  /** Tokens for messages and tools as the provider counts them; there is no default, since it is yours to choose. */
  budget: number;
  /** Counts as the target's tokenizer does; core's estimate unless given. Must count messages one by one as it counts them together, or is asked for the whole each time. */
  counter?: TokenCounter | undefined;
  /**
   * The share of the budget kept back, from 0 to below 1. Unless given 0 under an exact counter; 0.1 under an estimate, more or
   * less as the provider's counts in the `state` say.
   */
  safetyMargin?: number | undefined;
  /** Counted with the messages, since they are part of the prompt. */
  tools?: readonly ToolDescription[] | undefined;
  /** What the last call for this conversation gave: keeps the cut, and so the provider's cached prefix. */
  state?: FitState | undefined;
  /** Beside the system prompt, the first and the last turn of the user. Calls and results stay together. */
  pin?: PinRule | undefined;
  /**
   * Of what the usable budget leaves, the share in which results that the model has not read yet are shown whole; 0.5. Where
   * they need more, that cut fills the budget, whatever `cutTo` says.
   */
  firstSight?: number | undefined;
  /** How much of what is dropped a marker keeps: the user's words, identifiers, short values. By default a sixth of the budget up to 1,200 tokens, 1,800 where an agent codes, or 3 % of a large one. */
  keptFactsTokens?: number | undefined;
  /** How to get the rest of a message that is shown shortened, such as the call that reads its artifact. */
  restHint?: ((message: ChatMessage, index: number) => string | undefined) | undefined;
  /** Is given what became of each message, such as `recordTo(folder)` of @ccl/inspector. */
  record?: ContextRecorder | undefined;
  /** A summary for a range that is dropped, instead of the facts; asked once, at the cut, and frozen with it. */
  summaryOf?: ((range: ElidedRange) => string | undefined) | undefined;
}

/** A prompt within its budget. */
export interface FittedMessages {
  messages: ChatMessage[];
  /** Of each message its index in the input; -1 for what was added, such as a marker. */
  sources: number[];
  /** As counted by the caller's counter, tools included, and the reasoning that travels in `providerMetadata`. */
  tokens: number;
  trace: FitTraceEntry[];
  /** To be handed in with the next call; plain JSON. */
  state: FitState;
  /** Tokens of the prompt, tools first, that are the same as at the last call; 0 without a state. */
  prefixStableTokens: number;
  /** The index of the first message that differs from the last prompt or is new. */
  firstChangedMessage: number;
  /** At most 4 indexes of messages after which a cache breakpoint pays, ascending. */
  breakpoints: number[];
}
