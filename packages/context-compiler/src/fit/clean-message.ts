import type { ChatMessage, Part, ToolCall } from "@ccl/core";
import { isRecord, stringAt } from "@ccl/core/json";
import { ContextCompilerError } from "../context-compiler-error.ts";
import type { FitReason } from "./fit-trace.ts";

/**
 * A message that is valid on its own. This is the same object if nothing was wrong, and undefined
 * if nothing remains.
 */
interface CleanMessage {
  message: ChatMessage | undefined;
  problems: FitReason[];
}

const roles: ReadonlySet<unknown> = new Set(["system", "developer", "user", "assistant", "tool"]);
const emptyResult = "[The tool gave no output.]";

/**
 * Repairs one message.
 * @throws ContextCompilerError `invalid_messages` for a value that is not a message
 */
export function cleanMessage(message: ChatMessage, index: number): CleanMessage {
  requireMessage(message, index);
  const problems: FitReason[] = [];
  let cleaned = message;
  if (
    message.toolCalls !== undefined &&
    (message.role !== "assistant" || message.toolCalls.length === 0)
  ) {
    if (message.toolCalls.length > 0) problems.push("misplaced_calls");
    const { toolCalls: _, ...rest } = cleaned;
    cleaned = rest;
  }
  const calls = uniqueCalls(cleaned.toolCalls ?? []);
  if (cleaned.toolCalls !== undefined && calls.length < cleaned.toolCalls.length) {
    problems.push("duplicate_call");
    cleaned = { ...cleaned, toolCalls: calls };
  }
  const content = fullContent(cleaned.content);
  if (content !== cleaned.content) cleaned = { ...cleaned, content };
  if (hasContent(content) || calls.length > 0) return { message: cleaned, problems };
  problems.push("empty");
  return {
    message: message.role === "tool" ? { ...cleaned, content: emptyResult } : undefined,
    problems,
  };
}

function requireMessage(message: unknown, index: number): void {
  if (isMessage(message)) return;
  const text = `Message ${index} is not a chat message: it needs a role of ${[...roles].join(", ")}, a content of text or parts, and calls with id, name and arguments as text.`;
  throw new ContextCompilerError("invalid_messages", text, { details: { index } });
}

function isMessage(message: unknown): boolean {
  if (!isRecord(message)) return false;
  const { role, content, toolCalls = [] } = message;
  return (
    roles.has(role) &&
    (typeof content === "string" || (Array.isArray(content) && content.every(isPart))) &&
    Array.isArray(toolCalls) &&
    toolCalls.every((call) => hasTexts(call, ["id", "name", "arguments"]))
  );
}

function isPart(part: unknown): boolean {
  const type = stringAt(part, "type");
  if (type === "image" || type === "file") return hasTexts(part, ["mimeType"]);
  if (type === "provider") return isRecord(part) && "provider" in part && "raw" in part;
  return isTextPart(part);
}

/** True for a part of text or reasoning. */
export function isTextPart(part: unknown): boolean {
  return (
    ["text", "reasoning"].includes(stringAt(part, "type") ?? "") &&
    stringAt(part, "text") !== undefined
  );
}

function hasTexts(value: unknown, names: readonly string[]): boolean {
  return names.every((name) => stringAt(value, name) !== undefined);
}

function uniqueCalls(calls: ToolCall[]): ToolCall[] {
  if (calls.length < 2) return calls;
  const ids = new Set<string>();
  return calls.filter(({ id }) => !ids.has(id) && ids.add(id));
}

/**
 * Removes empty parts. Keeps reasoning that a provider signed or encrypted, since the provider
 * requires it unchanged.
 */
function fullContent(content: ChatMessage["content"]): ChatMessage["content"] {
  if (typeof content === "string") return content;
  const full = content.filter(
    (part) =>
      isFullPart(part) ||
      (part.type === "reasoning" && (part.signature ?? part.providerMetadata) !== undefined),
  );
  return full.length === content.length ? content : full;
}

function hasContent(content: ChatMessage["content"]): boolean {
  if (typeof content !== "string")
    return content.some((part) => part.type !== "reasoning" && isFullPart(part));
  const first = content.charCodeAt(0);
  return (first > 0x20 && first < 0x80) || /\S/.test(content);
}

function isFullPart(part: Part): boolean {
  return part.type === "text" || part.type === "reasoning" ? part.text.trim() !== "" : true;
}
