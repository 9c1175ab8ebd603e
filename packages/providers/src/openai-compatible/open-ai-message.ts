import type { ChatMessage, MediaPart, Part } from "@ccl/core";

import { mediaNote } from "../http/media-note.ts";
import { unsupportedRequest } from "../http/unsupported-request.ts";
import { defined, type JsonRecord, recordAt } from "../json/json-record.ts";
import { toBase64 } from "../json/to-base64.ts";

/** What differs between servers in messages. */
export interface MessageDialect {
  provider: string;
  developerRole: "developer" | "system";
  /** Where an assistant's reasoning goes; undefined where the server has no place for it. */
  reasoningField: "reasoning_content" | "reasoning" | undefined;
}

/** One message of `/chat/completions`. The fields of `providerMetadata[provider]` are merged into it, its parts and its calls. */
export function toOpenAiMessage(message: ChatMessage, dialect: MessageDialect): JsonRecord {
  const role = message.role === "developer" ? dialect.developerRole : message.role;
  const { texts, reasoning } = split(message, dialect);
  const toolCalls = message.toolCalls?.map(({ id, name, arguments: text, providerMetadata }) => ({
    ...recordAt(providerMetadata, dialect.provider),
    id,
    type: "function",
    function: { name, arguments: text },
  }));
  const hasCalls = toolCalls !== undefined && toolCalls.length > 0;
  const isBare = hasCalls && texts.length === 0;
  return defined({
    role,
    content: isBare ? null : texts,
    tool_calls: hasCalls ? toolCalls : undefined,
    tool_call_id: message.role === "tool" ? message.toolCallId : undefined,
    ...(dialect.reasoningField === undefined ? {} : { [dialect.reasoningField]: reasoning }),
    ...recordAt(message.providerMetadata, dialect.provider),
  });
}

function split(
  message: ChatMessage,
  dialect: MessageDialect,
): { texts: string | JsonRecord[]; reasoning: string | undefined } {
  if (typeof message.content === "string") return { texts: message.content, reasoning: undefined };
  const reasoning = message.content.filter((part) => part.type === "reasoning");
  if (
    reasoning.length > 0 &&
    (dialect.reasoningField === undefined || message.role !== "assistant")
  ) {
    const remedy = "leave the part out, or set `reasoningField` for a server that takes it";
    throw unsupportedRequest(
      dialect.provider,
      `reasoning in a message of role ${message.role}`,
      remedy,
    );
  }
  if (reasoning.some((part) => part.signature !== undefined)) {
    throw unsupportedRequest(
      dialect.provider,
      "the signature of a reasoning part",
      "leave the part out",
    );
  }
  const parts = message.content.filter((part) => part.type !== "reasoning");
  return {
    texts: parts.map((part) => toOpenAiPart(part, message, dialect)),
    reasoning: reasoning.length > 0 ? reasoning.map((part) => part.text).join("") : undefined,
  };
}

function toOpenAiPart(
  part: Exclude<Part, { type: "reasoning" }>,
  message: ChatMessage,
  { provider }: MessageDialect,
): JsonRecord {
  const own = recordAt(part.providerMetadata, provider);
  if (part.type === "text") return { ...own, type: "text", text: part.text };
  if (message.role === "tool") return { type: "text", text: mediaNote(part) };
  if (message.role !== "user") {
    throw unsupportedRequest(
      provider,
      `a media part in a message of role ${message.role}`,
      "put it into a user message",
    );
  }
  return { ...own, ...mediaPartOf(part, provider) };
}

const audioFormats: Record<string, string> = {
  "audio/wav": "wav",
  "audio/mpeg": "mp3",
  "audio/mp3": "mp3",
};

function mediaPartOf(part: MediaPart, provider: string): JsonRecord {
  const { data, url, mimeType } = part;
  const base64 = data === undefined ? undefined : toBase64(data);
  const address = base64 === undefined ? url : `data:${mimeType};base64,${base64}`;
  if (address === undefined)
    throw unsupportedRequest(provider, "a media part without data and url", "give one of them");
  if (part.type === "image") return { type: "image_url", image_url: { url: address } };
  if (base64 === undefined)
    throw unsupportedRequest(provider, "a file by its address", "pass its bytes");
  const format = audioFormats[mimeType];
  if (format !== undefined) return { type: "input_audio", input_audio: { data: base64, format } };
  return { type: "file", file: { filename: "file", file_data: address } };
}
