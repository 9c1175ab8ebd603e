import {
  type ChatMessage,
  fileText,
  type MediaPart,
  type Part,
  type ProviderFields,
} from "@ccl/core";
import { arrayAt, isRecord, type JsonRecord, toBase64, withoutUndefined } from "@ccl/core/json";

import type { Losses } from "../losses.ts";
import { fieldsFor, joinFields, partsOf } from "../wire-fields.ts";

const format = "anthropic";

/** `providerMetadata.anthropic.reasoning`: the blocks as they came, which is how `createAnthropicModel` returns them. */
export function keptThinking(message: ChatMessage): JsonRecord[] {
  if (message.role !== "assistant") return [];
  return arrayAt(fieldsFor(format, message), "reasoning").filter(isRecord);
}

/** The answer to a call. */
export function toResultBlock(message: ChatMessage, id: string, losses: Losses): JsonRecord {
  const { content, isError } = message;
  const parts = partsOf(message).flatMap((part) => toBlock(part, "tool", losses));
  const shown = typeof content === "string" ? content : parts;
  const written = withoutUndefined({
    type: "tool_result",
    tool_use_id: id,
    // The API takes no empty content; a result without any is a result all the same.
    content: parts.length > 0 ? shown : undefined,
    is_error: isError === true ? true : undefined,
  });
  return joinFields(written, ownFields(message));
}

/** A part as a block, none for a text without a word, which the API refuses. */
export function toBlock(part: Part, role: ChatMessage["role"], losses: Losses): JsonRecord[] {
  if (part.type === "provider" && part.provider === format && isRecord(part.raw))
    return [{ ...part.raw }];
  const block = part.type === "provider" ? undefined : writtenBlock(part, role);
  if (block !== undefined) return [block];
  const text = part.type === "text" ? "" : losses.mark(part);
  return text === "" ? [] : [{ type: "text", text }];
}

function writtenBlock(
  part: Exclude<Part, { type: "provider" }>,
  role: ChatMessage["role"],
): JsonRecord | undefined {
  const own = ownFields(part);
  if (part.type === "text") {
    return part.text.trim() === "" ? undefined : joinFields({ type: "text", text: part.text }, own);
  }
  if (part.type !== "reasoning") {
    const source = role === "user" || role === "tool" ? sourceOf(part) : undefined;
    if (source === undefined) return undefined;
    const type = part.type === "image" ? "image" : "document";
    const title = type === "image" ? undefined : part.filename;
    return joinFields(withoutUndefined({ type, source, title }), own);
  }
  if (role !== "assistant") return undefined;
  if (own["type"] === "redacted_thinking") return { ...own };
  if (part.signature === undefined) return undefined;
  return joinFields({ type: "thinking", thinking: part.text, signature: part.signature }, own);
}

const imageTypes = new Set(["image/jpeg", "image/png", "image/gif", "image/webp"]);

/** Images, PDFs, and any text, which the API takes as plain text. */
function sourceOf(part: MediaPart): JsonRecord | undefined {
  const { type, data, url, mimeType } = part;
  const text = type === "file" ? fileText(part) : undefined;
  if (text !== undefined) return { type: "text", media_type: "text/plain", data: text };
  const isTaken = type === "image" ? imageTypes.has(mimeType) : mimeType === "application/pdf";
  if (data !== undefined) {
    return isTaken ? { type: "base64", media_type: mimeType, data: toBase64(data) } : undefined;
  }
  return url !== undefined && (type === "image" || isTaken) ? { type: "url", url } : undefined;
}

/** Fields for the API alone; the AI SDK names the mark of a cache in its own way. */
export function ownFields(owner: ProviderFields): JsonRecord {
  const { cacheControl, ...fields } = fieldsFor(format, owner);
  return cacheControl === undefined ? fields : { cache_control: cacheControl, ...fields };
}
