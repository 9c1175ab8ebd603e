import type { ChatMessage, MediaPart, Part, ReasoningPart, TextPart, ToolCall } from "@ccl/core";
import { arrayAt, isRecord, type JsonRecord, recordAt, stringAt } from "@ccl/core/json";

import { withForm, withOriginal } from "../original-form.ts";
import { requireMessages } from "../require-messages.ts";
import {
  opaqueMessage,
  opaquePart,
  partsAndCalls,
  unlessEmpty,
  withMetadata,
} from "../wire-fields.ts";
import { aiSdk, readFile } from "./file-forms.ts";
import { metadataOf } from "./provider-options.ts";
import { errorMark, writeMessage } from "./to-ai-sdk-messages.ts";

/**
 * Converts model messages and prompts of AI SDK 5 to 7. Splits a tool message into one message per result.
 * `providerOptions` become `providerMetadata`. Parts without a counterpart become opaque parts, for example approvals,
 * and calls and results of the provider's own tools.
 * @throws WireError `invalid_messages` if `messages` is not a list of objects
 */
export function fromAiSdkMessages(messages: readonly object[]): ChatMessage[] {
  requireMessages(messages);
  const toolNames = new Map<string, string>();
  return messages.flatMap((wire, index) => {
    const turn = isRecord(wire) ? wire : {};
    const isTool = turn["role"] === "tool" && arrayAt(turn, "content").length > 0;
    const startsTurn = turn["role"] === "tool" && stringAt(messages[index - 1], "role") === "tool";
    const read = isTool
      ? arrayAt(turn, "content").map((part) => fromResult(part, toolNames))
      : [fromMessage(turn)];
    return read.map((message, at): ChatMessage => {
      for (const { id, name } of message.toolCalls ?? []) toolNames.set(id, name);
      const formed = withForm(aiSdk, message, { startsTurn: at === 0 && startsTurn });
      const written = writeMessage(formed, { toolNames });
      const content = isTool ? [arrayAt(turn, "content")[at]] : turn["content"];
      const original = isTool && at > 0 ? { role: "tool", content } : { ...turn, content };
      return withOriginal(aiSdk, formed, { written, original });
    });
  });
}

function fromMessage(wire: JsonRecord): ChatMessage {
  const { role, content, providerOptions } = wire;
  const fields = metadataOf(providerOptions);
  if (role !== "system" && role !== "user" && role !== "assistant")
    return opaqueMessage(aiSdk, wire);
  if (!Array.isArray(content)) {
    return { role, content: typeof content === "string" ? content : "", ...fields };
  }
  if (role !== "assistant") return { role, content: content.map(fromPart), ...fields };
  const steps = content.map((part: unknown) => fromCall(part) ?? [fromPart(part)]);
  const { parts, toolCalls } = partsAndCalls(aiSdk, steps);
  return { role, content: parts, ...fields, toolCalls };
}

function fromCall(wire: unknown): ToolCall | undefined {
  const id = stringAt(wire, "toolCallId");
  const name = stringAt(wire, "toolName");
  if (!isRecord(wire) || wire["type"] !== "tool-call" || id === undefined || name === undefined)
    return undefined;
  if (wire["providerExecuted"] === true) return undefined;
  const text = JSON.stringify(wire["input"]) ?? "";
  return { id, name, arguments: text, ...metadataOf(wire["providerOptions"]) };
}

function fromResult(wire: unknown, toolNames: ReadonlyMap<string, string>): ChatMessage {
  const toolCallId = stringAt(wire, "toolCallId");
  const output = recordAt(wire, "output");
  const read = readOutput(output);
  if (stringAt(wire, "type") !== "tool-result" || toolCallId === undefined || read === undefined)
    return opaqueMessage(aiSdk, { role: "tool", content: [wire] });
  const { content, isError, isJson } = read;
  const name = stringAt(wire, "toolName");
  const fields = metadataOf(recordAt(wire, "providerOptions"), {
    output: isJson === true ? "json" : undefined,
    toolName: toolNames.get(toolCallId) === name ? undefined : name,
  });
  return {
    role: "tool",
    toolCallId,
    content,
    isError: isError === true || undefined,
    ...fields,
  };
}

function readOutput(
  output: JsonRecord,
): { content: string | Part[]; isError?: boolean; isJson?: boolean } | undefined {
  const { type, value, reason } = output;
  if (type === "text" || type === "error-text")
    return { content: String(value), isError: type === "error-text" };
  if (type === "json" || type === "error-json")
    return { content: JSON.stringify(value ?? null), isError: type === "error-json", isJson: true };
  if (type === "execution-denied") {
    const why = typeof reason === "string" ? `: ${reason}` : "";
    return { content: `execution denied${why}`, isError: true };
  }
  if (type !== "content" || !Array.isArray(value)) return undefined;
  const isError = JSON.stringify(value[0]) === JSON.stringify(errorMark);
  return { content: value.slice(isError ? 1 : 0).map(fromPart), isError };
}

function fromPart(wire: unknown): Part {
  if (!isRecord(wire)) return opaquePart(aiSdk, wire);
  const { type, text, providerOptions } = wire;
  const read: TextPart | ReasoningPart | MediaPart | undefined =
    (type === "text" || type === "reasoning") && typeof text === "string"
      ? { type, text }
      : readFile(wire);
  if (read === undefined) return opaquePart(aiSdk, wire);
  const { providerMetadata } = metadataOf(providerOptions);
  return withMetadata(read, unlessEmpty({ ...providerMetadata, ...read.providerMetadata }));
}
