import type { ChatMessage, MediaPart, Part } from "@ccl/core";

import { mediaNote } from "../http/media-note.ts";
import { parseArguments } from "../http/parse-arguments.ts";
import { unsupportedRequest } from "../http/unsupported-request.ts";
import { defined, type JsonRecord, arrayAt, recordAt, without } from "../json/json-record.ts";
import { toBase64 } from "../json/to-base64.ts";
import { ToolIds } from "./tool-ids.ts";

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
 * block of its message, `reasoning` there is sent back as the blocks that it is. Ids that the API refuses are replaced.
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
  const ids = new ToolIds();
  for (const message of spoken) {
    const role = message.role === "assistant" ? "assistant" : "user";
    const last = turns.at(-1);
    const content = blocksOf(message, ids);
    if (last?.role === role) last.content.push(...content);
    else turns.push({ role, content });
  }
  return { system: leading.flatMap((message) => blocksOf(message, ids)), turns };
}

function blocksOf(message: ChatMessage, ids: ToolIds): JsonRecord[] {
  const own = recordAt(message.providerMetadata, anthropic);
  const unknown = Object.keys(without(own, "cache_control", "reasoning"));
  if (unknown.length > 0) {
    const what = `providerMetadata.anthropic.${unknown[0]} of a message`;
    throw unsupportedRequest(
      anthropic,
      what,
      "only cache_control and reasoning have a place there",
    );
  }
  const blocks =
    message.role === "tool" ? [resultBlock(message, ids)] : contentBlocks(message, ids);
  const reasoning = arrayAt(own, "reasoning").map((block) => ({ ...recordAt({ block }, "block") }));
  const all = [...reasoning, ...blocks];
  const last = all.at(-1);
  if (last !== undefined && own["cache_control"] !== undefined)
    last["cache_control"] = own["cache_control"];
  return all;
}

function contentBlocks(message: ChatMessage, ids: ToolIds): JsonRecord[] {
  const parts = partsOf(message).map((part) => toBlock(part, message.role));
  const calls = (message.toolCalls ?? []).map((call) => ({
    ...recordAt(call.providerMetadata, anthropic),
    type: "tool_use",
    id: ids.forCall(call.id),
    name: call.name,
    input: parseArguments(call),
  }));
  return [...parts, ...calls];
}

function resultBlock(message: ChatMessage, ids: ToolIds): JsonRecord {
  if (message.toolCallId === undefined) {
    throw unsupportedRequest(
      anthropic,
      "a tool message without `toolCallId`",
      "name the call that it answers",
    );
  }
  return defined({
    type: "tool_result",
    tool_use_id: ids.forResult(message.toolCallId),
    content: partsOf(message).map((part) => toBlock(part, "tool")),
    is_error: message.isError,
  });
}

// The API refuses text blocks without a word, and they say nothing.
function partsOf({ content }: ChatMessage): Part[] {
  const parts: Part[] = typeof content === "string" ? [{ type: "text", text: content }] : content;
  return parts.filter((part) => part.type !== "text" || part.text.trim() !== "");
}

function toBlock(part: Part, role: ChatMessage["role"]): JsonRecord {
  const own = recordAt(part.providerMetadata, anthropic);
  if (part.type === "text") return { ...own, type: "text", text: part.text };
  if (part.type === "reasoning") {
    if (role === "assistant" && own["type"] === "redacted_thinking") return own;
    if (role === "assistant" && part.signature !== undefined) {
      return { type: "thinking", thinking: part.text, signature: part.signature };
    }
    const what = "reasoning without its signature, or of anyone but the assistant";
    throw unsupportedRequest(anthropic, what, "leave it out");
  }
  if (role !== "user" && role !== "tool") {
    throw unsupportedRequest(
      anthropic,
      `a media part in a message of role ${role}`,
      "put it into a user message",
    );
  }
  if (role === "tool" && !isCarried(part)) return { type: "text", text: mediaNote(part) };
  return { ...own, ...mediaBlock(part) };
}

const imageTypes = new Set(["image/jpeg", "image/png", "image/gif", "image/webp"]);

function isCarried({ type, data, url, mimeType }: MediaPart): boolean {
  if (data === undefined && url === undefined) return false;
  if (type === "image") return data === undefined || imageTypes.has(mimeType);
  return mimeType === "application/pdf" || (mimeType === "text/plain" && data !== undefined);
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
    throw unsupportedRequest(
      anthropic,
      `a file of type ${mimeType}`,
      "pass a PDF, or plain text by its bytes",
    );
  }
  const source =
    data === undefined
      ? { type: "url", url }
      : { type: "base64", media_type: mimeType, data: toBase64(data) };
  return { type: type === "image" ? "image" : "document", source };
}
