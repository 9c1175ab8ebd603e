import type { ChatMessage, TokenCounter, ToolDescription } from "@ccl/core";

import type { ChatBranch } from "./chat-store.ts";

/** A history that must fit a budget. */
interface FitRequest extends ChatBranch {
  /** The final system prompt, the history and the current turn. Oldest first. */
  messages: readonly ChatMessage[];
  /** Index of the current turn's user message, which must stay. Its tool calls and their results follow it. */
  turnStart: number;
  /** Token budget for these messages and the tools. Margins and operations' messages are already subtracted. */
  budget: number;
  counter: TokenCounter;
  tools?: readonly ToolDescription[] | undefined;
  signal: AbortSignal;
}

/** Decides which part of a history is sent to the main model. */
export interface PromptFitter {
  /**
   * Returns messages within the budget. Kept messages keep their ids. The result should start as it did for the
   * previous turn, so that the provider's cache stays valid. An error ends the run as `budget_exceeded`.
   */
  fit(request: FitRequest): Promise<readonly ChatMessage[]>;
}
