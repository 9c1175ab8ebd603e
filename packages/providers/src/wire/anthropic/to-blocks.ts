import type { ChatMessage, MediaPart, Part, ReasoningPart, TextPart } from "@ccl/core";
import { arrayAt, isRecord, toBase64 } from "@ccl/core/json";

import { mediaPlaceholder } from "../media-placeholder.ts";
import { unsupportedMessage } from "../wire-error.ts";
import { fieldsFor } from "../wire-fields.ts";
import type {
  AnthropicBlock,
  AnthropicCacheControl,
  AnthropicDocumentBlock,
  AnthropicImageBlock,
  AnthropicTextBlock,
  AnthropicThinkingBlock,
  AnthropicToolResultBlock,
} from "./anthropic-message.ts";
import type { ToolIds } from "./tool-ids.ts";

/** The content of a user's or an assistant's message, after what the model thought, where that stands in `providerMetadata`. */
export function toBlocks(message: ChatMessage): AnthropicBlock[] {
  const said = partsOf(message).map((part) =>
    part.type === "reasoning"
      ? thinkingBlock(part, message.role)
      : toContentBlock(part, message.role),
  );
  return [...keptThinking(message), ...said];
}

/** `providerMetadata.anthropic.reasoning`: the blocks as they came, which is how `createAnthropicModel` returns them. */
function keptThinking(message: ChatMessage): AnthropicThinkingBlock[] {
  if (message.role !== "assistant") return [];
  return arrayAt(fieldsFor("anthropic", message), "reasoning")
    .filter(isThinking)
    .map((block) => ({ ...block }));
}

/** True for a block of either kind of thinking. */
export function isThinking(block: unknown): block is AnthropicThinkingBlock {
  return isRecord(block) && (block["type"] === "thinking" || block["type"] === "redacted_thinking");
}

/** True for what stands in `cache_control`. */
export function isCacheControl(value: unknown): value is AnthropicCacheControl {
  return isRecord(value) && value["type"] === "ephemeral";
}

/** The content of an operator's message; the API takes nothing but text there. */
export function textBlocks(message: ChatMessage): AnthropicTextBlock[] {
  return partsOf(message).map((part) => {
    if (part.type === "text") return textBlock(part);
    throw unsupportedMessage(
      "anthropic",
      `a part of type ${part.type} in a ${message.role} message`,
      "leave it out",
    );
  });
}

/** The answer to a call. */
export function toResultBlock(message: ChatMessage, ids: ToolIds): AnthropicToolResultBlock {
  const { toolCallId, content, isError } = message;
  if (toolCallId === undefined) {
    throw unsupportedMessage(
      "anthropic",
      "a tool message without `toolCallId`",
      "name the call that it answers",
    );
  }
  const block: AnthropicToolResultBlock = {
    ...fieldsFor("anthropic", message),
    type: "tool_result",
    tool_use_id: ids.forResult(toolCallId),
  };
  const parts = partsOf(message).map(toResultPart);
  // The API takes no empty content; a result without any is a result all the same.
  if (parts.length > 0) block.content = typeof content === "string" ? content : parts;
  if (isError === true) block.is_error = true;
  return block;
}

function toResultPart(
  part: Part,
): AnthropicTextBlock | AnthropicImageBlock | AnthropicDocumentBlock {
  if (part.type === "reasoning")
    throw unsupportedMessage("anthropic", "reasoning in a tool's result", "leave it out");
  return part.type === "text" || isCarried(part)
    ? toContentBlock(part, "tool")
    : { type: "text", text: mediaPlaceholder(part) };
}

// The API refuses text blocks without a word, and they say nothing.
function partsOf({ content }: ChatMessage): Part[] {
  const parts: Part[] = typeof content === "string" ? [{ type: "text", text: content }] : content;
  return parts.filter((part) => part.type !== "text" || part.text.trim() !== "");
}

function textBlock(part: TextPart): AnthropicTextBlock {
  return { ...fieldsFor("anthropic", part), type: "text", text: part.text };
}

function toContentBlock(
  part: Exclude<Part, ReasoningPart>,
  role: ChatMessage["role"],
): AnthropicTextBlock | AnthropicImageBlock | AnthropicDocumentBlock {
  if (part.type === "text") return textBlock(part);
  if (role === "assistant") {
    throw unsupportedMessage(
      "anthropic",
      "a media part of the assistant",
      "put it into a user message",
    );
  }
  return part.type === "image" ? imageBlock(part) : documentBlock(part);
}

function thinkingBlock(part: ReasoningPart, role: ChatMessage["role"]): AnthropicBlock {
  const own = fieldsFor("anthropic", part);
  if (role === "assistant" && own["type"] === "redacted_thinking" && isThinking(own)) return own;
  if (role === "assistant" && part.signature !== undefined) {
    return { type: "thinking", thinking: part.text, signature: part.signature };
  }
  const what = "reasoning without its signature, or of anyone but the assistant";
  throw unsupportedMessage("anthropic", what, "leave it out");
}

const imageTypes = ["image/jpeg", "image/png", "image/gif", "image/webp"] as const;

function isCarried({ type, data, url, mimeType }: MediaPart): boolean {
  if (data === undefined && url === undefined) return false;
  if (type === "image") return data === undefined || imageTypes.some((known) => known === mimeType);
  return mimeType === "application/pdf" || (mimeType === "text/plain" && data !== undefined);
}

function imageBlock(part: MediaPart): AnthropicImageBlock {
  const { data, url, mimeType } = part;
  const own = fieldsFor("anthropic", part);
  if (data === undefined)
    return { ...own, type: "image", source: { type: "url", url: addressOf(url) } };
  const mediaType = imageTypes.find((type) => type === mimeType);
  if (mediaType === undefined) {
    throw unsupportedMessage(
      "anthropic",
      `an image of type ${mimeType}`,
      `pass one of ${imageTypes.join(", ")}`,
    );
  }
  return {
    ...own,
    type: "image",
    source: { type: "base64", media_type: mediaType, data: toBase64(data) },
  };
}

function documentBlock(part: MediaPart): AnthropicDocumentBlock {
  const { data, url, mimeType } = part;
  const own = fieldsFor("anthropic", part);
  if (data !== undefined && mimeType === "text/plain") {
    const text = new TextDecoder().decode(data);
    return { ...own, type: "document", source: { type: "text", media_type: mimeType, data: text } };
  }
  if (mimeType !== "application/pdf") {
    throw unsupportedMessage(
      "anthropic",
      `a file of type ${mimeType}`,
      "pass a PDF, or plain text by its bytes",
    );
  }
  if (data === undefined)
    return { ...own, type: "document", source: { type: "url", url: addressOf(url) } };
  return {
    ...own,
    type: "document",
    source: { type: "base64", media_type: mimeType, data: toBase64(data) },
  };
}

function addressOf(url: string | undefined): string {
  if (url !== undefined) return url;
  throw unsupportedMessage("anthropic", "a media part without data and url", "give one of them");
}
