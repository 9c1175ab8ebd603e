import type { ChatMessage, MediaPart, Part, ToolCall } from "@ccl/core";
import { toBase64 } from "../wire/base64.ts";
import { mediaNote } from "../wire/media-note.ts";
import { requireMessages } from "../wire/require-messages.ts";
import { unsupportedMessage } from "../wire/unsupported-message.ts";
import { defined, keptFields } from "../wire/wire-fields.ts";
import type {
  OpenAiMessage,
  OpenAiPart,
  OpenAiTextPart,
  OpenAiToolCall,
} from "./open-ai-message.ts";
import { wordsOf } from "./words-of.ts";

/** Where a prompt's cached prefixes end. */
export interface OpenAiMessagesOptions {
  /**
   * Indexes of messages, as `WorkingContext.breakpoints` has them. Only for models that take explicit cache breakpoints; of
   * more than 4, the API writes the last.
   */
  breakpoints?: readonly number[];
}

/**
 * Messages of OpenAI's `/chat/completions`, one for each. A failed tool's result goes as its text, since the format has no
 * mark for it, and media that a tool gave as a text that names them.
 * @throws ContextCompilerError `unsupported_message` for reasoning, media of the system or the assistant, files by address
 */
export function toOpenAiMessages(
  messages: readonly ChatMessage[],
  { breakpoints = [] }: OpenAiMessagesOptions = {},
): OpenAiMessage[] {
  requireMessages(messages);
  const marked = new Set(breakpoints);
  return messages.map((message, index) => toOpenAiMessage(message, marked.has(index)));
}

function toOpenAiMessage(message: ChatMessage, isBreakpoint: boolean): OpenAiMessage {
  const { role } = message;
  const own = keptFields("openai", message);
  if (role === "user") return { ...own, role, content: userContent(message, isBreakpoint) };
  const content = textContent(message, isBreakpoint);
  if (role === "system") return { ...own, role, content };
  if (role === "developer") return { ...own, role, content };
  if (role === "tool") return { ...own, role, content, tool_call_id: callIdOf(message) };
  const calls = message.toolCalls?.map(toCall) ?? [];
  const isBare = content.length === 0 ? calls.length > 0 : content === wordsOf(own);
  return {
    ...own,
    role,
    content: isBare ? null : content,
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  };
}

function callIdOf({ toolCallId }: ChatMessage): string {
  if (toolCallId !== undefined) return toolCallId;
  throw unsupportedMessage(
    "openai",
    "a tool message without `toolCallId`",
    "name the call that it answers",
  );
}

function toCall(call: ToolCall): OpenAiToolCall {
  return {
    ...keptFields("openai", call),
    id: call.id,
    type: "function",
    function: { name: call.name, arguments: call.arguments },
  };
}

const breakpoint = { prompt_cache_breakpoint: { mode: "explicit" as const } };

function textContent(
  { role, content }: ChatMessage,
  isBreakpoint: boolean,
): string | OpenAiTextPart[] {
  const parts: Part[] = typeof content === "string" ? [{ type: "text", text: content }] : content;
  const texts = parts.map((part): OpenAiTextPart => {
    if (part.type === "text")
      return { ...keptFields("openai", part), type: "text", text: part.text };
    if (role === "tool" && part.type !== "reasoning")
      return { type: "text", text: mediaNote(part) };
    throw unsupportedMessage(
      "openai",
      `a part of type ${part.type} in a message of role ${role}`,
      "leave it out",
    );
  });
  return isPlain(content, isBreakpoint) ? content : marked(texts, isBreakpoint);
}

function userContent({ content }: ChatMessage, isBreakpoint: boolean): string | OpenAiPart[] {
  if (isPlain(content, isBreakpoint)) return content;
  const parts: Part[] = typeof content === "string" ? [{ type: "text", text: content }] : content;
  return marked(parts.map(toPart), isBreakpoint);
}

function isPlain(content: string | Part[], isBreakpoint: boolean): content is string {
  return typeof content === "string" && (!isBreakpoint || content === "");
}

function marked<Marked extends OpenAiPart>(parts: Marked[], isBreakpoint: boolean): Marked[] {
  return isBreakpoint
    ? parts.map((part, index) => (index === parts.length - 1 ? { ...part, ...breakpoint } : part))
    : parts;
}

function toPart(part: Part): OpenAiPart {
  if (part.type === "text") return { ...keptFields("openai", part), type: "text", text: part.text };
  if (part.type === "reasoning") {
    throw unsupportedMessage("openai", "reasoning in a user message", "leave the part out");
  }
  return mediaPart(part);
}

const audioFormats: Record<string, "wav" | "mp3"> = {
  "audio/wav": "wav",
  "audio/mpeg": "mp3",
  "audio/mp3": "mp3",
};

function mediaPart(part: MediaPart): OpenAiPart {
  const { data, url, mimeType } = part;
  const base64 = data === undefined ? undefined : toBase64(data);
  const address = base64 === undefined ? url : `data:${mimeType};base64,${base64}`;
  const own = keptFields("openai", part);
  const { filename, file_id, detail, ...rest } = own;
  if (part.type === "file" && typeof file_id === "string") {
    return { ...rest, type: "file", file: { file_id } };
  }
  if (address === undefined)
    throw unsupportedMessage("openai", "a media part without data and url", "give one of them");
  if (part.type === "image") {
    const image_url = isDetail(detail) ? { url: address, detail } : { url: address };
    return { ...rest, type: "image_url", image_url };
  }
  if (base64 === undefined)
    throw unsupportedMessage("openai", "a file by its address", "pass its bytes");
  const format = audioFormats[mimeType];
  if (format !== undefined)
    return { ...rest, type: "input_audio", input_audio: { data: base64, format } };
  const file = defined({
    filename: typeof filename === "string" ? filename : "file",
    file_data: address,
  });
  return { ...rest, type: "file", file };
}

function isDetail(value: unknown): value is "auto" | "low" | "high" {
  return value === "auto" || value === "low" || value === "high";
}
