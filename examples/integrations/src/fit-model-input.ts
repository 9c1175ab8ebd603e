import { fitMessages, type FitState } from "@ccl/context-compiler";
import type { ChatMessage, TokenCounter, ToolDefinition } from "@ccl/core";
import type { BaseMessage } from "@langchain/core/messages";
import type { RunnableConfig } from "@langchain/core/runnables";

import { fromLangChain, toLangChain } from "./langchain-messages.ts";

/** What the input of the model is fitted into. */
export interface FitModelInputOptions {
  budget: number;
  counter?: TokenCounter;
  /** Of the agent, since they take room in the prompt. */
  tools?: readonly ToolDefinition[];
}

/**
 * A `preModelHook` that keeps what the model gets within a budget; the messages of the graph stay as they are. Cuts are
 * kept for each thread.
 */
export function fitModelInput(options: FitModelInputOptions) {
  const states = new Map<unknown, FitState>();
  const converted = new WeakMap<BaseMessage, ChatMessage>();
  const convert = (message: BaseMessage): ChatMessage => {
    const known = converted.get(message) ?? fromLangChain(message);
    converted.set(message, known);
    return known;
  };
  return (
    { messages }: { messages: BaseMessage[] },
    config?: RunnableConfig,
  ): { llmInputMessages: BaseMessage[] } => {
    const thread: unknown = config?.configurable?.["thread_id"];
    const originals = new Map(messages.map((message) => [convert(message), message]));
    const fitted = fitMessages([...originals.keys()], { ...options, state: states.get(thread) });
    states.set(thread, fitted.state);
    return {
      llmInputMessages: fitted.messages.map(
        (message) => originals.get(message) ?? toLangChain(message),
      ),
    };
  };
}
