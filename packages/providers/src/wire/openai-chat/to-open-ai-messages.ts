import type { ChatMessage, MediaPart, Part, ToolCall } from "@ccl/core";
import { type JsonRecord, isRecord, stringAt, toBase64, withoutUndefined } from "@ccl/core/json";
import { type LossOptions, Losses } from "../losses.ts";
import { formOf, inOriginalForm } from "../original-form.ts";
import { requireMessages } from "../require-messages.ts";
import {
  asWire,
  contentOf,
  dataUrlOf,
  fieldsFor,
  joinFields,
  partsOf,
  unlessEmpty,
  wholeMessage,
} from "../wire-fields.ts";
import type { OpenAiMessage } from "./open-ai-message.ts";

const format = "openai";

/** How a server differs from OpenAI's own. */
export interface OpenAiMessagesOptions extends LossOptions {
  /** A key in `providerMetadata` whose fields, like those of `openai`, are merged into messages, parts and calls. */
  provider?: string | undefined;
  /** The role of developer messages. Default: `developer`. */
  developerRole?: "developer" | "system" | undefined;
  /** Field for reasoning that has no field recorded. If not set, that reasoning is left out. */
  reasoningField?: "reasoning_content" | "reasoning" | undefined;
}

interface Target {
  losses: Losses;
  provider: string;
  reasoningField?: OpenAiMessagesOptions["reasoningField"];
}

/**
 * Converts each message to a `/chat/completions` message. Sends a failed tool's result as plain text, since the format
 * has no error flag. Media outside user messages, and files given by URL, become text that names them.
 */
export function toOpenAiMessages(
  messages: readonly ChatMessage[],
  options: OpenAiMessagesOptions = {},
): OpenAiMessage[] {
  requireMessages(messages);
  const { provider = format, developerRole, reasoningField } = options;
  const losses = new Losses(options);
  const sent = messages.map((message, index) => {
    losses.index = index;
    const written = writeMessage(message, { losses, provider, reasoningField });
    const wire = inOriginalForm(format, message, written);
    const record = isRecord(wire) ? wire : written;
    const isRenamed = record["role"] === "developer" && developerRole === "system";
    return isRenamed ? { ...record, role: "system" } : record;
  });
  return asWire(sent);
}

/** Writes a message, ignoring its original form. */
export function writeMessage(
  message: ChatMessage,
  target: Target = { losses: new Losses(), provider: format },
): JsonRecord {
  const whole = wholeMessage(format, message);
  if (whole !== undefined) return whole;
  const { role, toolCallId } = message;
  const own = fieldsOf(message, target);
  const texts = writtenContent(message, target);
  if (role === "tool" && toolCallId !== undefined)
    return joinFields({ role, tool_call_id: toolCallId, content: texts }, own);
  if (role === "tool") {
    target.losses.drop("tool", "the call that a tool message answers");
    return joinFields({ role: "user", content: texts }, own);
  }
  if (role !== "assistant") return joinFields({ role, content: texts }, own);
  const calls = message.toolCalls?.map((call) => toCall(call, target)) ?? [];
  const isBare = texts === "" ? calls.length > 0 : texts === wordsOf(own);
  const written = withoutUndefined({
    role,
    content: isBare ? null : texts,
    ...reasoningOf(message, target),
    tool_calls: unlessEmpty(calls),
  });
  return joinFields(written, own);
}

function fieldsOf(
  owner: Exclude<Part, { type: "provider" }> | ChatMessage | ToolCall,
  { provider }: Target,
): JsonRecord {
  const own = fieldsFor(format, owner);
  return provider === format ? own : { ...own, ...fieldsFor(provider, owner) };
}

/** Returns the assistant's reasoning, in its original field or the one that the server accepts. */
function reasoningOf(message: ChatMessage, target: Target): JsonRecord {
  const fields: { [field: string]: string } = {};
  for (const part of partsOf(message)) {
    if (part.type !== "reasoning") continue;
    const came = stringAt(formOf(format, part), "field");
    const field = came ?? (part.signature === undefined ? target.reasoningField : undefined);
    if (field === undefined) target.losses.mark(part);
    else fields[field] = (fields[field] ?? "") + part.text;
  }
  return fields;
}

/**
 * Writes content. Text stays text. An empty list of parts becomes empty text, since no server accepts an empty list.
 */
function writtenContent(message: ChatMessage, target: Target): string | unknown[] {
  if (typeof message.content === "string") return message.content;
  const said = message.content.filter((part) => part.type !== "reasoning");
  const text = contentOf(said);
  const isThought = message.content.some(
    (part) => part.type === "reasoning" && formOf(format, part)["field"] !== undefined,
  );
  if (isThought && typeof text === "string") return text;
  const kept = message.role === "assistant" ? said : message.content;
  const parts = kept.map((part) => toPart(part, message.role, target)).filter(isRecord);
  return parts.length === 0 ? "" : parts;
}

function toPart(part: Part, role: ChatMessage["role"], target: Target): unknown {
  if (part.type === "provider" && part.provider === format) return part.raw;
  if (part.type === "text") {
    const type = formOf(format, part)["isRefusal"] === true ? "refusal" : "text";
    return joinFields({ type, [type]: part.text }, fieldsOf(part, target));
  }
  if (part.type === "image" || part.type === "file") {
    const isTaken = role === "user" || formOf(format, part)["isTaken"] === true;
    const { detail, ...own } = fieldsOf(part, target);
    const written = isTaken ? toMedia(part, detail) : undefined;
    if (written !== undefined) return joinFields(written, own);
  }
  const mark = target.losses.mark(part);
  return mark === "" ? undefined : { type: "text", text: mark };
}

function toMedia(part: MediaPart, detail: unknown): JsonRecord | undefined {
  const { type, mimeType, data, url, filename } = part;
  const inline = dataUrlOf(part);
  const address = inline ?? url;
  if (type === "image" && address !== undefined) {
    return { type: "image_url", image_url: withoutUndefined({ url: address, detail }) };
  }
  if (data === undefined) return undefined;
  const audio = /^audio\/(wav|mp3|mpeg|flac|opus|pcm16|ogg|aac|m4a)$/.exec(mimeType)?.[1];
  if (audio !== undefined) {
    const named = audio === "mpeg" ? "mp3" : audio;
    return { type: "input_audio", input_audio: { data: toBase64(data), format: named } };
  }
  return { type: "file", file: { filename: filename ?? "file", file_data: inline } };
}

function toCall(call: ToolCall, target: Target): JsonRecord {
  const { id, name } = call;
  const written =
    formOf(format, call)["isCustom"] === true
      ? { id, type: "custom", custom: { name, input: call.arguments } }
      : { id, type: "function", function: { name, arguments: call.arguments } };
  return joinFields(written, fieldsOf(call, target));
}

/**
 * Returns the text of an assistant message without content: its refusal or its audio transcript. Returns "" for other
 * messages.
 */
export function wordsOf({ refusal, audio }: JsonRecord): string {
  if (typeof refusal === "string") return refusal;
  if (!isRecord(audio)) return "";
  return typeof audio["transcript"] === "string" ? audio["transcript"] : "[audio]";
}
