import {
  type ChatMessage,
  countMessages,
  type TokenCounter,
  type ToolDescription,
} from "@ccl/core";

/** The tokens of messages and tools, including framing, as a counter counts them. */
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
