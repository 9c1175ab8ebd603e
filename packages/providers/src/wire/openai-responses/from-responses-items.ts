import type { ChatMessage, Part, TextPart, ToolCall } from "@ccl/core";
import { isRecord, type JsonRecord, stringAt } from "@ccl/core/json";

import { withForm, withOriginal } from "../original-form.ts";
import { requireMessages } from "../require-messages.ts";
import {
  contentOf,
  entryOf,
  opaquePart,
  partsAndCalls,
  unknownFields,
  withMetadata,
} from "../wire-fields.ts";
import { responses } from "./responses-format.ts";
import { fromInputPart, fromReasoning } from "./responses-parts.ts";
import { toItems } from "./to-responses-items.ts";

/**
 * Converts `/v1/responses` input, which is text or a list of items. `instructions` become a leading system message. The
 * model's items between two turns become one assistant message that keeps the order of texts, reasoning and calls.
 * Items without a counterpart become opaque parts.
 * @throws WireError `invalid_messages` if the input is neither text nor a list of objects
 */
export function fromResponsesItems(
  given: string | readonly object[] | { instructions?: unknown; input: string | readonly object[] },
): ChatMessage[] {
  const isConversation = typeof given === "object" && given !== null && "input" in given;
  const { instructions, input } = isConversation
    ? given
    : { instructions: undefined, input: given };
  const system: ChatMessage[] =
    typeof instructions === "string"
      ? [withForm(responses, { role: "system", content: instructions }, { isInstructions: true })]
      : [];
  if (typeof input === "string") {
    return [...system, withForm(responses, { role: "user", content: input }, { isInput: true })];
  }
  requireMessages(input);
  return [...system, ...grouped(input)];
}

function grouped(items: readonly unknown[]): ChatMessage[] {
  const messages: ChatMessage[] = [];
  let steps: JsonRecord[] = [];
  const add = (message: ChatMessage, wire: JsonRecord[]): void => {
    const written = toItems(message);
    messages.push(withOriginal(responses, message, { written, original: wire }));
  };
  const close = (): void => {
    if (steps.length > 0) add(assistant(steps), steps);
    steps = [];
  };
  for (const item of items) {
    const wire = isRecord(item) ? item : {};
    const single = fromTurn(wire) ?? fromOutput(wire);
    if (single === undefined) steps.push(wire);
    else {
      close();
      add(single, [wire]);
    }
  }
  close();
  return messages;
}

function assistant(steps: readonly JsonRecord[]): ChatMessage {
  const { parts, toolCalls } = partsAndCalls(responses, steps.map(fromStep));
  return { role: "assistant", content: contentOf(parts), toolCalls };
}

/** Maps each call type to the field that holds its arguments. */
export const callFields: Record<string, string | undefined> = {
  function_call: "arguments",
  custom_tool_call: "input",
};

function fromStep(wire: JsonRecord): ToolCall | Part[] {
  const type = stringAt(wire, "type") ?? "";
  const id = stringAt(wire, "call_id");
  const name = stringAt(wire, "name");
  const field = entryOf(callFields, type) ?? "";
  const text = stringAt(wire, field);
  if (id !== undefined && name !== undefined && text !== undefined) {
    const known = [...(type === "function_call" ? ["type"] : []), "call_id", "name", field];
    return withMetadata({ id, name, arguments: text }, unknownFields(responses, wire, known));
  }
  const read = type === "reasoning" ? fromReasoning(wire) : saidParts(wire);
  return read ?? [opaquePart(responses, wire)];
}

/** Returns the texts of an assistant message. The first one holds the item's own fields. */
function saidParts(wire: JsonRecord): TextPart[] | undefined {
  const { content, role, ...item } = wire;
  if (role !== "assistant" || !["message", "undefined"].includes(String(wire["type"])))
    return undefined;
  if (typeof content === "string")
    return [saidPart(content, Object.keys(item).length > 0 ? { item } : {})];
  if (!Array.isArray(content) || content.length === 0) return undefined;
  const parts: TextPart[] = [];
  for (const [index, entry] of content.entries()) {
    const type = stringAt(entry, "type") ?? "";
    const text = stringAt(entry, type === "refusal" ? "refusal" : "text");
    if (!isRecord(entry) || text === undefined || !saidTypes.has(type)) return undefined;
    const { text: _, refusal: __, ...fields } = entry;
    parts.push(saidPart(text, index === 0 ? { item, ...fields } : fields));
  }
  return parts;
}

const saidTypes = new Set(["output_text", "refusal", "input_text"]);

function saidPart(text: string, fields: JsonRecord): TextPart {
  const part: TextPart = { type: "text", text };
  return Object.keys(fields).length === 0
    ? part
    : { ...part, providerMetadata: { [responses]: fields } };
}

const turns = ["user", "system", "developer"] as const;

function fromTurn(wire: JsonRecord): ChatMessage | undefined {
  const role = turns.find((role) => role === wire["role"]);
  const { type, content } = wire;
  if (role === undefined || (type !== undefined && type !== "message")) return undefined;
  const read = inputOf(content);
  return read === undefined
    ? undefined
    : withMetadata({ role, content: read }, unknownFields(responses, wire, ["role", "content"]));
}

const outputTypes = new Set<unknown>(["function_call_output", "custom_tool_call_output"]);

function fromOutput(wire: JsonRecord): ChatMessage | undefined {
  const { type, call_id: toolCallId, output } = wire;
  const content = inputOf(output);
  if (!outputTypes.has(type) || typeof toolCallId !== "string" || content === undefined)
    return undefined;
  const known = [...(type === "function_call_output" ? ["type"] : []), "call_id", "output"];
  const message: ChatMessage = { role: "tool", toolCallId, content };
  return withMetadata(message, unknownFields(responses, wire, known));
}

function inputOf(content: unknown): string | Part[] | undefined {
  if (typeof content === "string") return content;
  return Array.isArray(content) ? content.map(fromInputPart) : undefined;
}
