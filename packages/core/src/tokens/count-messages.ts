import type { ChatMessage, MediaPart, Part, ProviderFields } from "../messages/chat-message.ts";
import { isRecord } from "../json/json-record.ts";
import { jsonText } from "../json/json-text.ts";
import { fileText } from "../messages/file-text.ts";
import type { ToolDescription } from "../models/tool-definition.ts";

type Count = (text: string) => number;

/**
 * Tokens added to each message, and for the header that starts the reply. The figures are OpenAI's,
 * from "How to count tokens with tiktoken" in its cookbook. They also stand in for the framing of
 * tool calls and tools, which no provider documents.
 */
const framingTokens = 3;

/**
 * The flat cost of an image or a file: the maximum that Anthropic states for one image. A long file
 * costs more.
 */
const mediaTokens = 1_600;

/**
 * Counts a chat as the provider sees it: texts, calls with their ids, signatures, text files,
 * provider parts and fields as JSON, plus framing. Fields that are never sent (`id`, `source`) cost
 * nothing.
 */
export function countMessages(
  count: Count,
  messages: readonly ChatMessage[],
  tools: readonly ToolDescription[] = [],
): number {
  let tokens = framingTokens;
  for (const message of messages) {
    const { role, content, toolCalls = [], toolCallId = "" } = message;
    tokens += framingTokens + count(role) + countFields(count, message);
    if (toolCallId !== "") tokens += count(toolCallId);
    tokens +=
      typeof content === "string" ? count(content) : sum(content, (part) => countPart(count, part));
    for (const call of toolCalls) {
      tokens += framingTokens + count(call.name) + count(call.arguments);
      tokens += count(call.id) + countFields(count, call);
    }
  }
  return tokens + sum(tools, (tool) => framingTokens + count(renderTool(tool)));
}

function countPart(count: Count, part: Part): number {
  if (part.type === "provider") return count(jsonText(part.raw));
  const fields = countFields(count, part);
  if (part.type === "text") return fields + count(part.text);
  if (part.type === "reasoning") return fields + count(part.text) + count(part.signature ?? "");
  return fields + countMedia(count, part);
}

function countMedia(count: Count, part: MediaPart): number {
  const text = fileText(part);
  return count(part.filename ?? "") + (text === undefined ? mediaTokens : count(text));
}

/**
 * Counts provider fields. Of `wire`, which records a message's original wire format, only the
 * values in `edits` are sent.
 */
function countFields(count: Count, { providerMetadata }: ProviderFields): number {
  if (providerMetadata === undefined) return 0;
  return sum(Object.entries(providerMetadata), ([provider, fields]) => {
    if (provider !== "wire") return count(jsonText(fields));
    return isRecord(fields) ? count(jsonText(fields["edits"])) : 0;
  });
}

function renderTool({ name, description, inputSchema }: ToolDescription): string {
  return jsonText({ name, description, parameters: inputSchema });
}

function sum<Item>(items: readonly Item[], tokensOf: (item: Item) => number): number {
  return items.reduce((total, item) => total + tokensOf(item), 0);
}
