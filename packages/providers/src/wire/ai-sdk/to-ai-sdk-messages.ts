import type { ChatMessage, MediaPart, Part, ToolCall } from "@ccl/core";
import { isRecord, parseJson, toBase64 } from "@ccl/core/json";

import { callInput } from "../call-input.ts";
import { lastBreakpoints } from "../cache-breakpoints.ts";
import { mediaPlaceholder } from "../media-placeholder.ts";
import { requireMessages } from "../require-messages.ts";
import { unsupportedMessage } from "../wire-error.ts";
import { fieldsFor } from "../wire-fields.ts";
import type {
  AiSdkFilePart,
  AiSdkMessage,
  AiSdkProviderOptions,
  AiSdkReasoningPart,
  AiSdkTextPart,
  AiSdkToolCallPart,
  AiSdkToolOutput,
  AiSdkToolResultPart,
} from "./ai-sdk-message.ts";
import { isJson, providerOptionsOf } from "./provider-options.ts";

/** Where a prompt's cached prefixes end, and what marks them. */
export interface AiSdkMessagesOptions {
  /** Indexes of messages, as `WorkingContext.breakpoints` has them; the last 4 are marked, as many as Anthropic takes. */
  breakpoints?: readonly number[] | undefined;
  /** What a marked message gets as provider options; Anthropic's five minutes by default, which other providers ignore. */
  cacheOptions?: Record<string, Record<string, AiSdkCacheValue>> | undefined;
}

/** A value of `cacheOptions`. */
type AiSdkCacheValue = string | number | boolean | { [key: string]: AiSdkCacheValue };

const anthropicCache = { anthropic: { cacheControl: { type: "ephemeral" } } };

type AssistantPart =
  | AiSdkTextPart
  | AiSdkFilePart
  | AiSdkReasoningPart
  | AiSdkToolCallPart
  | AiSdkToolResultPart;

/**
 * Messages for `generateText` and `streamText`. Results of parallel calls share one tool message; `providerMetadata` goes
 * out as `providerOptions`, call arguments that are not JSON as `{ INVALID_JSON: text }`. A message whose parts say nothing
 * is left out.
 * @throws WireError `unsupported_message` for signed reasoning, media of the system, results without their call
 */
export function toAiSdkMessages(
  messages: readonly ChatMessage[],
  { breakpoints = [], cacheOptions = anthropicCache }: AiSdkMessagesOptions = {},
): AiSdkMessage[] {
  requireMessages(messages);
  const marked = lastBreakpoints(breakpoints, messages);
  const toolNames = new Map<string, string>();
  const result: AiSdkMessage[] = [];
  for (const [index, message] of messages.entries()) {
    for (const call of message.toolCalls ?? []) toolNames.set(call.id, call.name);
    const next = toAiSdkMessage(message, toolNames);
    const last = result.at(-1);
    const isJoined = isProviderExecuted(message) ? next.role === "tool" : isContinued(message);
    if (
      isJoined &&
      last?.role === "assistant" &&
      Array.isArray(last.content) &&
      Array.isArray(next.content)
    ) {
      last.content.push(...next.content);
    } else if (
      next.role === "tool" &&
      last?.role === "tool" &&
      last.providerOptions === undefined
    ) {
      last.content.push(...next.content);
    } else if (typeof next.content === "string" || next.content.length > 0) result.push(next);
    const target = result.at(-1);
    if (marked.has(index) && target !== undefined)
      target.providerOptions = joined(target.providerOptions, cacheOptions);
  }
  return result;
}

/** Options of both, provider by provider. */
function joined(
  options: AiSdkProviderOptions = {},
  added: AiSdkProviderOptions,
): AiSdkProviderOptions {
  const both = { ...options };
  for (const [provider, fields] of Object.entries(added))
    both[provider] = { ...both[provider], ...fields };
  return both;
}

function isContinued(message: ChatMessage): boolean {
  return message.role === "assistant" && fieldsFor("ai-sdk", message)["isContinued"] === true;
}

function isProviderExecuted(message: ChatMessage): boolean {
  return fieldsFor("ai-sdk", message)["providerExecuted"] === true;
}

function toAiSdkMessage(
  message: ChatMessage,
  toolNames: ReadonlyMap<string, string>,
): AiSdkMessage {
  if (message.role === "tool") return { role: "tool", content: [toResult(message, toolNames)] };
  const options = providerOptionsOf(message);
  const { content } = message;
  if (message.role === "system" || message.role === "developer") {
    return { role: "system", content: textOf(message), ...options };
  }
  if (message.role === "user") {
    return {
      role: "user",
      content: typeof content === "string" ? content : said(content).map(toUserPart),
      ...options,
    };
  }
  if (typeof content === "string" && message.toolCalls === undefined)
    return { role: "assistant", content, ...options };
  const parts: Part[] = typeof content === "string" ? [{ type: "text", text: content }] : content;
  const all: AssistantPart[] = [
    ...said(parts).map(toAssistantPart),
    ...(message.toolCalls ?? []).map(toCall),
  ];
  return { role: "assistant", content: all, ...options };
}

function said(parts: readonly Part[]): Part[] {
  return parts.filter((part) => part.type !== "text" || part.text !== "");
}

function textOf({ role, content }: ChatMessage): string {
  if (typeof content === "string") return content;
  const texts = content.map((part) => {
    if (part.type === "text") return part.text;
    throw unsupportedMessage(
      "the AI SDK",
      `a part of type ${part.type} in a ${role} message`,
      "leave it out",
    );
  });
  return texts.join("");
}

function toUserPart(part: Part): AiSdkTextPart | AiSdkFilePart {
  if (part.type === "text") return { type: "text", text: part.text, ...providerOptionsOf(part) };
  if (part.type === "reasoning") {
    throw unsupportedMessage("the AI SDK", "reasoning in a user message", "leave the part out");
  }
  return toFilePart(part);
}

function toAssistantPart(part: Part): AssistantPart {
  if (part.type !== "reasoning") return toUserPart(part);
  if (part.signature !== undefined) {
    const remedy = "pass the provider's own fields in `providerMetadata` of the part";
    throw unsupportedMessage("the AI SDK", "the signature of a reasoning part", remedy);
  }
  return { type: "reasoning", text: part.text, ...providerOptionsOf(part) };
}

function toFilePart(part: MediaPart): AiSdkFilePart {
  const { filename } = fieldsFor("ai-sdk", part);
  const data =
    part.data ?? (part.url !== undefined && URL.canParse(part.url) ? new URL(part.url) : undefined);
  if (data === undefined) {
    throw unsupportedMessage(
      "the AI SDK",
      "a media part without data and a valid url",
      "give one of them",
    );
  }
  const named = typeof filename === "string" ? { filename } : {};
  return { type: "file", data, mediaType: part.mimeType, ...named, ...providerOptionsOf(part) };
}

function toCall(call: ToolCall): AiSdkToolCallPart {
  const { providerExecuted } = fieldsFor("ai-sdk", call);
  const executed = providerExecuted === true ? { providerExecuted } : {};
  return {
    type: "tool-call",
    toolCallId: call.id,
    toolName: call.name,
    input: callInput(call),
    ...executed,
    ...providerOptionsOf(call),
  };
}

function toResult(
  message: ChatMessage,
  toolNames: ReadonlyMap<string, string>,
): AiSdkToolResultPart {
  const { toolCallId } = message;
  const toolName = toolCallId === undefined ? undefined : toolNames.get(toolCallId);
  if (toolCallId === undefined || toolName === undefined) {
    const what = "a tool message whose call is not among the messages before it";
    throw unsupportedMessage("the AI SDK", what, "keep the call in the conversation");
  }
  return {
    type: "tool-result",
    toolCallId,
    toolName,
    output: outputOf(message),
    ...providerOptionsOf(message),
  };
}

function outputOf(message: ChatMessage): AiSdkToolOutput {
  const { content, isError = false } = message;
  if (typeof content === "string") {
    const value =
      fieldsFor("ai-sdk", message)["output"] === "json" ? parseJson(content) : undefined;
    if (isJson(value)) return { type: isError ? "error-json" : "json", value };
    return { type: isError ? "error-text" : "text", value: content };
  }
  const given = content.map(outputInput);
  const isPlain = given.every(
    (part) => part.type === "text" && part.providerMetadata === undefined,
  );
  // Output in parts has no mark of an error, and the error matters more than its media.
  if (!isError && !isPlain) return { type: "content", value: given.map(toOutputPart) };
  const texts = given.map((part) => (part.type === "text" ? part.text : mediaPlaceholder(part)));
  return { type: isError ? "error-text" : "text", value: texts.join("\n") };
}

type OutputInput = Exclude<Part, { type: "reasoning" }>;

function outputInput(part: Part): OutputInput {
  if (part.type !== "reasoning") return part;
  throw unsupportedMessage("the AI SDK", "reasoning in a tool's result", "leave it out");
}

type OutputPart = Extract<AiSdkToolOutput, { type: "content" }>["value"][number];

function toOutputPart(part: OutputInput): OutputPart {
  if (part.type === "text") return { type: "text", text: part.text, ...providerOptionsOf(part) };
  const { outputPart } = fieldsFor("ai-sdk", part);
  if (isOutputPart(outputPart)) return outputPart;
  if (part.data === undefined) return { type: "text", text: mediaPlaceholder(part) };
  return { type: "media", mediaType: part.mimeType, data: toBase64(part.data) };
}

/** Only version 6 has addresses, so the types, which fit both versions, have none; one that came in goes out again. */
function isOutputPart(part: unknown): part is OutputPart {
  return isRecord(part) && (part["type"] === "image-url" || part["type"] === "file-url");
}
