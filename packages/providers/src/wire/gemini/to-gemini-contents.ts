import type { ChatMessage, MediaPart, Part, ToolCall } from "@ccl/core";
import { isRecord, type JsonRecord, toBase64, withoutUndefined } from "@ccl/core/json";

import { callRecord } from "../call-input.ts";
import { Losses, type LossOptions } from "../losses.ts";
import { fieldsFor, joinFields, partsOf } from "../wire-fields.ts";

/** The format's name in errors and opaque parts, and its key in `providerMetadata`. */
export const gemini = "gemini";

interface Turn {
  role: "user" | "model";
  parts: JsonRecord[];
}

interface ContentsOptions extends LossOptions {
  /** True if the model rejects calls without a thought signature, as Gemini does from version 3 on. */
  needsSignatures: boolean;
}

// The value that Google's documentation specifies for calls by other models.
const noSignature = { thoughtSignature: "skip_thought_signature_validator" };

/**
 * Converts messages for `generateContent`. Leading system and developer messages become `systemInstruction`. Later ones
 * become user messages, since the API has no other place for them. Sends thought signatures with their calls and texts.
 * Leaves out reasoning, as the API requires.
 */
export function toGeminiContents(
  messages: readonly ChatMessage[],
  { needsSignatures, ...options }: ContentsOptions,
): { systemInstruction?: { parts: JsonRecord[] }; contents: Turn[] } {
  const losses = new Losses(options);
  const toolNames = new Map<string, string>();
  const system: JsonRecord[] = [];
  const contents: Turn[] = [];
  for (const [index, message] of messages.entries()) {
    losses.index = index;
    for (const { id, name } of message.toolCalls ?? []) toolNames.set(id, name);
    const isOperator = message.role === "system" || message.role === "developer";
    const parts = toParts(message, { losses, toolNames, needsSignatures });
    if (isOperator && contents.length === 0) system.push(...parts);
    else if (parts.length > 0) {
      if (isOperator) losses.drop(message.role, `the role of a late ${message.role} message`);
      const role = message.role === "assistant" ? "model" : "user";
      const last = contents.at(-1);
      if (last?.role === role) last.parts.push(...parts);
      else contents.push({ role, parts });
    }
  }
  return system.length === 0 ? { contents } : { systemInstruction: { parts: system }, contents };
}

interface Target {
  losses: Losses;
  toolNames: ReadonlyMap<string, string>;
  needsSignatures: boolean;
}

function toParts(message: ChatMessage, target: Target): JsonRecord[] {
  const { role, toolCallId, toolCalls = [] } = message;
  const parts = partsOf(message).flatMap((part) => toPart(part, role, target.losses));
  if (role === "tool" && toolCallId !== undefined)
    return [toFunctionResponse(message, parts, { ...target, id: toolCallId })];
  if (role === "tool") target.losses.drop("tool", "the call that a tool message answers");
  if (role !== "assistant") return parts;
  const calls = toolCalls.map(toFunctionCall);
  const isSigned = calls.some((call) => call["thoughtSignature"] !== undefined);
  if (target.needsSignatures && !isSigned && calls[0] !== undefined)
    Object.assign(calls[0], noSignature);
  const { thoughtSignature } = fieldsFor(gemini, message);
  if (thoughtSignature === undefined) return [...parts, ...calls];
  const last = parts.pop() ?? { text: "" };
  return [...parts, { ...last, thoughtSignature }, ...calls];
}

function toPart(part: Part, role: ChatMessage["role"], losses: Losses): JsonRecord[] {
  if (part.type === "provider" && part.provider === gemini && isRecord(part.raw)) return [part.raw];
  if (part.type === "text")
    return part.text === "" ? [] : [joinFields({ text: part.text }, fieldsFor(gemini, part))];
  const isMedia = part.type === "image" || part.type === "file";
  const written = isMedia && role === "user" ? toMedia(part) : undefined;
  if (written !== undefined) return [written];
  const text = losses.mark(part);
  return text === "" ? [] : [{ text }];
}

function toMedia({ mimeType, data, url }: MediaPart): JsonRecord | undefined {
  if (data !== undefined) return { inlineData: { mimeType, data: toBase64(data) } };
  // If the type is missing, the API detects it from the URL.
  const type = mimeType.endsWith("/*") ? undefined : mimeType;
  return url === undefined
    ? undefined
    : { fileData: withoutUndefined({ mimeType: type, fileUri: url }) };
}

function toFunctionCall(call: ToolCall): JsonRecord {
  const { id, name } = call;
  return joinFields(
    { functionCall: { id, name, args: callRecord(call) } },
    fieldsFor(gemini, call),
  );
}

function toFunctionResponse(
  { isError = false }: ChatMessage,
  parts: readonly JsonRecord[],
  { id, toolNames, losses }: Target & { id: string },
): JsonRecord {
  const known = toolNames.get(id);
  if (known === undefined) losses.drop("tool", "the name of a tool whose call is not here");
  const text = parts.map((part) => String(part["text"] ?? "")).join("\n");
  const response = isError ? { error: text } : { output: text };
  return { functionResponse: { id, name: known ?? "unknown", response } };
}
