import {
  type ChatMessage,
  countMessages,
  type TokenCounter,
  type ToolDescription,
} from "@ccl/core";

/** Counts the tokens of messages and tools, including framing. */
export function tokensOf(
  counter: TokenCounter,
  messages: readonly ChatMessage[],
  tools: readonly ToolDescription[] = [],
): number {
  return (
    counter.countMessages?.([...messages], [...tools]) ??
    countMessages((text) => counter.count(text), messages, tools)
  );
}
