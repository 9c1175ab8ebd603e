import type { ChatMessage, TokenCounter, ToolDescription } from "@ccl/core";

import type { ChatBranch } from "./chat-store.ts";

/** A history that has to fit. */
interface FitRequest extends ChatBranch {
  /** The system prompt as it is sent, the history, and the current turn; oldest first. */
  messages: readonly ChatMessage[];
  /** The user message of the current turn, which stays; its tool calls and their results follow. */
  turnStart: number;
  /** Tokens for these messages and the tools, as counted; margins and operations' messages are taken off already. */
  budget: number;
  counter: TokenCounter;
  tools?: readonly ToolDescription[] | undefined;
  signal: AbortSignal;
}

/** Decides what of a history goes to the main model. */
export interface PromptFitter {
  /**
   * The messages within the budget, those that are kept with their ids. What it gives should begin as it did for the turn
   * before, so that the provider's cache keeps. What it throws ends the run as `budget_exceeded`.
   */
  fit(request: FitRequest): Promise<readonly ChatMessage[]>;
}
