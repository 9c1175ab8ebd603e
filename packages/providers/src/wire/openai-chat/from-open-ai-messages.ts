import type { ChatMessage, Part, ToolCall } from "@ccl/core";
import { fromBase64, isRecord, type JsonRecord, parseDataUrl } from "@ccl/core/json";
import { requireMessages } from "../require-messages.ts";
import { unsupportedMessage } from "../wire-error.ts";
import { unknownFields } from "../wire-fields.ts";
import { wordsOf } from "./words-of.ts";

const roles = ["system", "developer", "user", "assistant", "tool"] as const;

/**
 * Chat messages of OpenAI's wire form, such as a transcript that an application keeps. Fields without a counterpart travel
 * in `providerMetadata.openai`, so that `toOpenAiMessages` gives back what was taken in.
 * @throws WireError `unsupported_message` for what is no message of `/chat/completions`
 */
export function fromOpenAiMessages(messages: readonly object[]): ChatMessage[] {
  requireMessages(messages);
  return messages.map((message, index) => fromMessage(message, `message ${index}`));
}

function fromMessage(wire: unknown, where: string): ChatMessage {
  const role = isRecord(wire) ? roles.find((role) => role === wire["role"]) : undefined;
  if (!isRecord(wire) || role === undefined) {
    throw unsupportedMessage(
      "a chat message",
      `${where}, which has no role of ${roles.join(", ")}`,
      "mend it",
    );
  }
  const { content, tool_calls: calls, tool_call_id: callId } = wire;
  const providerMetadata = unknownFields("openai", wire, [
    "role",
    "content",
    "tool_calls",
    "tool_call_id",
  ]);
  return {
    role,
    content: typeof content === "string" ? content : (partsOf(content, where) ?? wordsOf(wire)),
    toolCalls:
      Array.isArray(calls) && calls.length > 0
        ? calls.map((call) => fromCall(call, where))
        : undefined,
    toolCallId: typeof callId === "string" ? callId : undefined,
    providerMetadata,
  };
}

function partsOf(content: unknown, where: string): Part[] | undefined {
  if (content === null || content === undefined) return undefined;
  if (Array.isArray(content)) return content.map((part) => fromPart(part, where));
  throw unsupportedMessage(
    "a chat message",
    `the content of ${where}`,
    "give text or a list of parts",
  );
}

function fromCall(call: unknown, where: string): ToolCall {
  const wire = isRecord(call) ? call : {};
  const { id, function: named } = wire;
  if (typeof id !== "string" || !isRecord(named) || typeof named["name"] !== "string") {
    throw unsupportedMessage(
      "a chat message",
      `a call of ${where} that is not of a function`,
      "leave it and its result out",
    );
  }
  const providerMetadata = unknownFields("openai", wire, ["id", "type", "function"]);
  const text = named["arguments"];
  return {
    id,
    name: named["name"],
    arguments: typeof text === "string" ? text : JSON.stringify(text ?? {}),
    providerMetadata,
  };
}

function fromPart(part: unknown, where: string): Part {
  const wire = isRecord(part) ? part : {};
  const type = String(wire["type"]);
  const read = Object.hasOwn(readers, type) ? readers[type]?.(wire) : undefined;
  if (read !== undefined) return read;
  throw unsupportedMessage(
    "a chat message",
    `a part of type ${JSON.stringify(wire["type"])} in ${where}`,
    "leave it out",
  );
}

const readers: Record<string, ((wire: JsonRecord) => Part | undefined) | undefined> = {
  text: (wire) =>
    withFields(
      { type: "text", text: String(wire["text"] ?? "") },
      unknownFields("openai", wire, ["type", "text"]),
    ),
  refusal: (wire) =>
    withFields(
      { type: "text", text: String(wire["refusal"] ?? "") },
      unknownFields("openai", wire, ["type", "refusal"]),
    ),
  image_url: (wire) => {
    const image = wire["image_url"];
    if (!isRecord(image) || typeof image["url"] !== "string") return undefined;
    const bytes = parseDataUrl(image["url"]) ?? { mimeType: "image/*", url: image["url"] };
    const rest = { ...wire, detail: image["detail"] };
    return withFields(
      { type: "image", ...bytes },
      unknownFields("openai", rest, ["type", "image_url"]),
    );
  },
  input_audio: (wire) => {
    const audio = wire["input_audio"];
    const data =
      isRecord(audio) && typeof audio["data"] === "string" ? fromBase64(audio["data"]) : undefined;
    if (!isRecord(audio) || data === undefined) return undefined;
    const mimeType = audio["format"] === "wav" ? "audio/wav" : "audio/mpeg";
    return withFields(
      { type: "file", mimeType, data },
      unknownFields("openai", wire, ["type", "input_audio"]),
    );
  },
  file: (wire) => {
    const file = wire["file"];
    if (!isRecord(file)) return undefined;
    const { file_data: address, ...named } = file;
    const bytes = typeof address === "string" ? parseDataUrl(address) : undefined;
    if (bytes === undefined && typeof named["file_id"] !== "string") return undefined;
    const content = bytes ?? { mimeType: "application/octet-stream" };
    return withFields(
      { type: "file", ...content },
      unknownFields("openai", { ...wire, ...named }, ["type", "file"]),
    );
  },
};

function withFields(part: Part, providerMetadata: Record<string, unknown> | undefined): Part {
  return providerMetadata === undefined ? part : { ...part, providerMetadata };
}
