import type { ChatMessage, MediaPart, Part, ToolCall } from "@ccl/core";
import { toBase64 } from "@ccl/core/json";

import { mediaPlaceholder } from "../media-placeholder.ts";
import { requireMessages } from "../require-messages.ts";
import { unsupportedMessage } from "../wire-error.ts";
import { fieldsFor } from "../wire-fields.ts";
import type {
  OpenAiMessage,
  OpenAiPart,
  OpenAiTextPart,
  OpenAiToolCall,
} from "./open-ai-message.ts";
import { wordsOf } from "./words-of.ts";

/** Where a prompt's cached prefixes end, and how a server differs from OpenAI's own. */
export interface OpenAiMessagesOptions {
  /**
   * Indexes of messages, as `WorkingContext.breakpoints` has them. Only for models that take explicit cache breakpoints; of
   * more than 4, the API writes the last.
   */
  breakpoints?: readonly number[] | undefined;
  /** The key in `providerMetadata` whose fields are merged into messages, parts and calls. Default: `openai`. */
  provider?: string | undefined;
  /** The role of developer messages. Default: `developer`. */
  developerRole?: "developer" | "system" | undefined;
  /** Field for an assistant's unsigned reasoning. Default: none; reasoning is then refused. */
  reasoningField?: "reasoning_content" | "reasoning" | undefined;
}

interface Target {
  provider: string;
  developerRole: "developer" | "system";
  reasoningField: OpenAiMessagesOptions["reasoningField"];
}

type SentPart = Exclude<Part, { type: "reasoning" }>;

/**
 * Messages of OpenAI's `/chat/completions`, one for each. A failed tool's result goes as its text, since the format has no
 * mark for it, and media that a tool returned as a text that names them.
 * @throws WireError `unsupported_message` for reasoning without a field, media of the system or the assistant, files by
 *   address
 */
export function toOpenAiMessages(
  messages: readonly ChatMessage[],
  options: OpenAiMessagesOptions = {},
): OpenAiMessage[] {
  requireMessages(messages);
  const { breakpoints, provider = "openai", developerRole = "developer", reasoningField } = options;
  const target: Target = { provider, developerRole, reasoningField };
  const marked = new Set(breakpoints);
  return messages.map((message, index) => toOpenAiMessage(message, marked.has(index), target));
}

function toOpenAiMessage(
  message: ChatMessage,
  isBreakpoint: boolean,
  target: Target,
): OpenAiMessage {
  const { role, content } = message;
  const own = fieldsFor(target.provider, message);
  const { sent, reasoning } = split(message, target);
  if (role === "user") {
    const parts = sent.map((part) => toPart(part, target.provider));
    return { ...own, role, content: contentOf(content, parts, isBreakpoint) };
  }
  const texts = contentOf(
    content,
    sent.map((part) => toTextPart(part, role, target.provider)),
    isBreakpoint,
  );
  if (role === "system") return { ...own, role, content: texts };
  if (role === "developer") return { ...own, role: target.developerRole, content: texts };
  if (role === "tool") {
    return { ...own, role, content: texts, tool_call_id: callIdOf(message, target.provider) };
  }
  const calls = message.toolCalls?.map((call) => toCall(call, target.provider)) ?? [];
  const isBare = texts === "" ? calls.length > 0 : texts === wordsOf(own);
  const { reasoningField } = target;
  return {
    ...own,
    role,
    content: isBare ? null : texts,
    ...(calls.length > 0 && { tool_calls: calls }),
    ...(reasoningField && reasoning !== undefined && { [reasoningField]: reasoning }),
  };
}

/** The parts that stand in `content`, and the reasoning, which has a field of its own. */
function split(
  { role, content }: ChatMessage,
  { provider, reasoningField }: Target,
): { sent: SentPart[]; reasoning?: string } {
  if (typeof content === "string") return { sent: [{ type: "text", text: content }] };
  const sent = content.filter((part) => part.type !== "reasoning");
  const reasoning = content.filter((part) => part.type === "reasoning");
  if (reasoning.length === 0) return { sent };
  if (role !== "assistant" || reasoningField === undefined) {
    const what = `reasoning in a message of role ${role}`;
    const remedy = "leave the part out, or set `reasoningField` for a server that takes it";
    throw unsupportedMessage(provider, what, remedy);
  }
  if (reasoning.some(({ signature }) => signature !== undefined)) {
    throw unsupportedMessage(provider, "the signature of a reasoning part", "leave the part out");
  }
  return { sent, reasoning: reasoning.map(({ text }) => text).join("") };
}

const breakpoint = { prompt_cache_breakpoint: { mode: "explicit" as const } };

/** Text stays text unless it is marked; no parts are the empty text, since no server takes an empty list. */
function contentOf<Sent extends OpenAiPart>(
  content: ChatMessage["content"],
  parts: Sent[],
  isBreakpoint: boolean,
): string | Sent[] {
  if (parts.length === 0 || content === "") return "";
  if (!isBreakpoint) return typeof content === "string" ? content : parts;
  return parts.map((part, index) =>
    index === parts.length - 1 ? { ...part, ...breakpoint } : part,
  );
}

function callIdOf({ toolCallId }: ChatMessage, provider: string): string {
  if (toolCallId !== undefined) return toolCallId;
  const what = "a tool message without `toolCallId`";
  throw unsupportedMessage(provider, what, "name the call that it answers");
}

function toCall(call: ToolCall, provider: string): OpenAiToolCall {
  return {
    ...fieldsFor(provider, call),
    id: call.id,
    type: "function",
    function: { name: call.name, arguments: call.arguments },
  };
}

function toTextPart(part: SentPart, role: ChatMessage["role"], provider: string): OpenAiTextPart {
  if (part.type === "text") return { ...fieldsFor(provider, part), type: "text", text: part.text };
  if (role === "tool") return { type: "text", text: mediaPlaceholder(part) };
  const what = `a part of type ${part.type} in a message of role ${role}`;
  throw unsupportedMessage(provider, what, "put it into a user message");
}

function toPart(part: SentPart, provider: string): OpenAiPart {
  return part.type === "text" ? toTextPart(part, "user", provider) : toMediaPart(part, provider);
}

const audioFormats: Record<string, "wav" | "mp3"> = {
  "audio/wav": "wav",
  "audio/mpeg": "mp3",
  "audio/mp3": "mp3",
};

function toMediaPart(part: MediaPart, provider: string): OpenAiPart {
  const { data, url, mimeType } = part;
  const base64 = data === undefined ? undefined : toBase64(data);
  const address = base64 === undefined ? url : `data:${mimeType};base64,${base64}`;
  const { filename = "file", file_id, detail, ...rest } = fieldsFor(provider, part);
  if (part.type === "file" && typeof file_id === "string") {
    return { ...rest, type: "file", file: { file_id } };
  }
  if (address === undefined) {
    throw unsupportedMessage(provider, "a media part without data and url", "give one of them");
  }
  if (part.type === "image") {
    const image_url = isDetail(detail) ? { url: address, detail } : { url: address };
    return { ...rest, type: "image_url", image_url };
  }
  if (base64 === undefined) {
    throw unsupportedMessage(provider, "a file by its address", "pass its bytes");
  }
  const format = audioFormats[mimeType];
  if (format !== undefined) {
    return { ...rest, type: "input_audio", input_audio: { data: base64, format } };
  }
  return { ...rest, type: "file", file: { filename: String(filename), file_data: address } };
}

function isDetail(value: unknown): value is "auto" | "low" | "high" {
  return value === "auto" || value === "low" || value === "high";
}
