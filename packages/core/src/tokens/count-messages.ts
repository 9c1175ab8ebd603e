import type { ChatMessage, Part } from "../messages/chat-message.ts";
import type { ToolDefinition } from "../models/tool-definition.ts";

/**
 * Tokens round each message, and of the header that primes the reply: OpenAI's figures, from "How to count tokens with
 * tiktoken" in its cookbook. Taken for a tool call and a tool too, whose framing no provider documents.
 */
const framingTokens = 3;

/** Flat for an image or a file: what Anthropic states as the most one image costs. A file of many pages costs more. */
const mediaTokens = 1_600;

/** Counts a chat as the provider would see it: texts by `count`, plus framing. Ids, sources and metadata cost nothing. */
export function countMessages(
  count: (text: string) => number,
  messages: readonly ChatMessage[],
  tools: readonly ToolDefinition[] = [],
): number {
  let tokens = framingTokens;
  for (const { role, content, toolCalls = [] } of messages) {
    tokens += framingTokens + count(role);
    tokens +=
      typeof content === "string" ? count(content) : sum(content, (part) => countPart(count, part));
    tokens += sum(toolCalls, (call) => framingTokens + count(call.name) + count(call.arguments));
  }
  return tokens + sum(tools, (tool) => framingTokens + count(renderTool(tool)));
}

function countPart(count: (text: string) => number, part: Part): number {
  return part.type === "text" || part.type === "reasoning" ? count(part.text) : mediaTokens;
}

function renderTool({ name, description, inputSchema }: ToolDefinition): string {
  return JSON.stringify({ name, description, parameters: inputSchema });
}

function sum<Item>(items: readonly Item[], tokensOf: (item: Item) => number): number {
  return items.reduce((total, item) => total + tokensOf(item), 0);
}
