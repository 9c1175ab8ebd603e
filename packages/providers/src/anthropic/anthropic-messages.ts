import type { ChatMessage, MediaPart, Part } from "@ccl/core";

import { parseArguments } from "../http/parse-arguments.ts";
import { unsupportedRequest } from "../http/unsupported-request.ts";
import { defined, type JsonRecord, arrayAt, recordAt, without } from "../json/json-record.ts";
import { toBase64 } from "../json/to-base64.ts";

/** Names the provider in errors, and its fields in `providerMetadata`. */
export const anthropic = "anthropic";

/** The system blocks and the turns of a call of `/v1/messages`. */
export interface AnthropicMessages {
  system: JsonRecord[];
  turns: { role: "user" | "assistant"; content: JsonRecord[] }[];
}

/**
 * Leading system and developer messages become system blocks; tool results become blocks of the user's turn, and
 * messages of one speaker in a row become one turn. `cache_control` in `providerMetadata.anthropic` lands on the last
 * block of its message, `reasoning` there is sent back as the blocks that it is.
 */
export function toAnthropicMessages(messages: readonly ChatMessage[]): AnthropicMessages {
  const isOperator = ({ role }: ChatMessage): boolean => role === "system" || role === "developer";
  const start = messages.findIndex((message) => !isOperator(message));
  const leading = start < 0 ? messages : messages.slice(0, start);
  const spoken = start < 0 ? [] : messages.slice(start);
  if (spoken.some(isOperator)) {
    const what = "a system or developer message after the conversation has begun";
    throw unsupportedRequest(anthropic, what, "move it to the front");
  }
  const turns: AnthropicMessages["turns"] = [];
  for (const message of spoken) {
    const role = message.role === "assistant" ? "assistant" : "user";
    const last = turns.at(-1);
    const content = blocksOf(message);
    if (last?.role === role) last.content.push(...content);
    else turns.push({ role, content });
  }
  return { system: leading.flatMap(blocksOf), turns };
}

function blocksOf(message: ChatMessage): JsonRecord[] {
  const own = recordAt(message.providerMetadata, anthropic);
  const unknown = Object.keys(without(own, "cache_control", "reasoning"));
  if (unknown.length > 0) {
    const what = `providerMetadata.anthropic.${unknown[0]} of a message`;
    throw unsupportedRequest(anthropic, what, "only cache_control and reasoning have a place there");
  }
  const blocks = message.role === "tool" ? [resultBlock(message)] : contentBlocks(message);
  const reasoning = arrayAt(own, "reasoning").map((block) => ({ ...recordAt({ block }, "block") }));
  const all = [...reasoning, ...blocks];
  const last = all.at(-1);
  if (last !== undefined && own["cache_control"] !== undefined) last["cache_control"] = own["cache_control"];
  return all;
}

function contentBlocks(message: ChatMessage): JsonRecord[] {
  const parts = partsOf(message).map((part) => toBlock(part, message.role));
  const calls = (message.toolCalls ?? []).map((call) => ({
    ...recordAt(call.providerMetadata, anthropic),
    type: "tool_use",
    id: call.id,
    name: call.name,
    input: parseArguments(call, anthropic),
  }));
  return [...parts, ...calls];
}

function resultBlock(message: ChatMessage): JsonRecord {
  if (message.toolCallId === undefined) {
    throw unsupportedRequest(anthropic, "a tool message without `toolCallId`", "name the call that it answers");
  }
  return defined({
    type: "tool_result",
    tool_use_id: message.toolCallId,
    content: partsOf(message).map((part) => toBlock(part, "tool")),
    is_error: message.isError,
  });
}

// The API refuses empty text blocks, and they say nothing.
function partsOf({ content }: ChatMessage): Part[] {
  const parts: Part[] = typeof content === "string" ? [{ type: "text", text: content }] : content;
  return parts.filter((part) => part.type !== "text" || part.text !== "");
}

function toBlock(part: Part, role: ChatMessage["role"]): JsonRecord {
  const own = recordAt(part.providerMetadata, anthropic);
  if (part.type === "text") return { ...own, type: "text", text: part.text };
  if (part.type === "reasoning") {
    if (role === "assistant" && part.signature !== undefined) {
      return { type: "thinking", thinking: part.text, signature: part.signature };
    }
    const what = "reasoning without its signature, or of anyone but the assistant";
    throw unsupportedRequest(anthropic, what, "leave it out");
  }
  if (role !== "user" && role !== "tool") {
    throw unsupportedRequest(anthropic, `a media part in a message of role ${role}`, "put it into a user message");
  }
  return { ...own, ...mediaBlock(part) };
}

function mediaBlock({ type, data, url, mimeType }: MediaPart): JsonRecord {
  if (data === undefined && url === undefined) {
    throw unsupportedRequest(anthropic, "a media part without data and url", "give one of them");
  }
  const isText = type === "file" && mimeType === "text/plain";
  if (isText && data !== undefined) {
    const text = new TextDecoder().decode(data);
    return { type: "document", source: { type: "text", media_type: mimeType, data: text } };
  }
  if (type === "file" && mimeType !== "application/pdf") {
    throw unsupportedRequest(anthropic, `a file of type ${mimeType}`, "pass a PDF, or plain text by its bytes");
  }
  const source =
    data === undefined ? { type: "url", url } : { type: "base64", media_type: mimeType, data: toBase64(data) };
  return { type: type === "image" ? "image" : "document", source };
}
