import {
  type ChatMessage,
  countMessages,
  type TokenCounter,
  type ToolDescription,
} from "@ccl/core";

/** The tokens of messages and tools as a counter sees them, framing included. */
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
