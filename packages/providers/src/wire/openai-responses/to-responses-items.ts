import type { ChatMessage, Part, TextPart, ToolCall } from "@ccl/core";
import { arrayAt, isRecord, type JsonRecord, withoutUndefined } from "@ccl/core/json";

import { Losses, type LossOptions } from "../losses.ts";
import { formOf, inOriginalForm } from "../original-form.ts";
import { requireMessages } from "../require-messages.ts";
import { asWire, fieldsFor, interleaved, joinFields, partsOf } from "../wire-fields.ts";
import type { ResponsesConversation, ResponsesItem } from "./responses-item.ts";
import { responses } from "./responses-format.ts";
import { toInputPart, toReasoning } from "./responses-parts.ts";

/**
 * Converts messages to items for the `input` of `/v1/responses`, which has no error flag for tools. Puts the reasoning
 * items in a message's `providerMetadata["openai-responses"].reasoning` before its texts. Leaves out reasoning of other
 * models.
 */
export function toResponsesItems(
  messages: readonly ChatMessage[],
  options: LossOptions = {},
): ResponsesItem[] {
  requireMessages(messages);
  const losses = new Losses(options);
  return messages.flatMap((message, index) => {
    losses.index = index;
    const items = inOriginalForm(responses, message, toItems(message, losses));
    return Array.isArray(items) ? asWire<ResponsesItem>(items) : [];
  });
}

/** Like `toResponsesItems`, but keeps text input and `instructions` in their own fields if they came from there. */
export function toResponsesInput(
  messages: readonly ChatMessage[],
  options: LossOptions = {},
): ResponsesConversation {
  requireMessages(messages);
  const [first] = messages;
  const isFirst = first !== undefined && formOf(responses, first)["isInstructions"] === true;
  const instructions = isFirst && typeof first.content === "string" ? first.content : undefined;
  const others = instructions === undefined ? messages : messages.slice(1);
  const [only] = others;
  const isText =
    others.length === 1 && only !== undefined && formOf(responses, only)["isInput"] === true;
  return withoutUndefined({
    instructions,
    input:
      isText && typeof only.content === "string" ? only.content : toResponsesItems(others, options),
  });
}

/** Writes the items of one message, ignoring its original form. */
export function toItems(message: ChatMessage, losses: Losses = new Losses()): JsonRecord[] {
  const { role, content, toolCallId } = message;
  if (role === "assistant") return toSteps(message, losses);
  const { type, ...own } = fieldsFor(responses, message);
  const parts = partsOf(message)
    .map((part) => toInputPart(part, losses))
    .filter((part) => part !== undefined);
  const written = typeof content === "string" ? content : parts.length > 0 ? parts : "";
  if (role !== "tool") {
    const typed = type === undefined ? {} : { type };
    return [joinFields({ ...typed, role, content: written }, own)];
  }
  if (toolCallId === undefined) {
    losses.drop("tool", "the call that a tool message answers");
    return [{ role: "user", content: written }];
  }
  const output = { type: type ?? "function_call_output", call_id: toolCallId, output: written };
  return [joinFields(output, own)];
}

function toSteps(message: ChatMessage, losses: Losses): JsonRecord[] {
  const parts = partsOf(message);
  const steps = interleaved<Part | ToolCall>(responses, parts, message.toolCalls, (call) => call);
  const kept = arrayAt(fieldsFor(responses, message), "reasoning").filter(isRecord);
  return [...kept, ...joinSteps(steps).flatMap((step) => toItem(step, losses))];
}

/** Groups parts by item. A part without item fields belongs to the previous item. */
function joinSteps(steps: readonly (Part | ToolCall)[]): (Part | ToolCall)[][] {
  const joined: (Part | ToolCall)[][] = [];
  for (const step of steps) {
    const last = joined.at(-1);
    const [first] = last ?? [];
    if (last !== undefined && first !== undefined && isContinued(first, step)) last.push(step);
    else joined.push([step]);
  }
  return joined;
}

function isContinued(first: Part | ToolCall, step: Part | ToolCall): boolean {
  if (!("type" in first && "type" in step) || first.type !== step.type) return false;
  if (first.type === "provider" || step.type === "provider") return false;
  const own = fieldsFor(responses, step);
  const opens = own["item"] !== undefined || step.providerMetadata?.[responses] === undefined;
  return !opens && fieldsFor(responses, first)["item"] !== undefined;
}

function toItem(step: readonly (Part | ToolCall)[], losses: Losses): JsonRecord[] {
  const [first] = step;
  if (first === undefined) return [];
  if (!("type" in first)) return [toCall(first)];
  if (first.type === "text")
    return [toSaid(step.filter((part) => "type" in part && part.type === "text"))];
  if (first.type === "provider" && first.provider === responses && isRecord(first.raw))
    return [first.raw];
  if (first.type === "reasoning" && fieldsFor(responses, first)["item"] !== undefined) {
    return [toReasoning(step.filter((part) => "type" in part && part.type === "reasoning"))];
  }
  const mark = losses.mark(first);
  return mark === "" ? [] : [{ role: "assistant", content: mark }];
}

function toCall(call: ToolCall): JsonRecord {
  const own = fieldsFor(responses, call);
  const { id: call_id, name } = call;
  const written =
    own["type"] === "custom_tool_call"
      ? { type: own["type"], call_id, name, input: call.arguments }
      : { type: "function_call", call_id, name, arguments: call.arguments };
  return joinFields(written, own);
}

function toSaid(parts: readonly TextPart[]): JsonRecord {
  const [first = { type: "text", text: "" }] = parts;
  const { item, type } = fieldsFor(responses, first);
  const { id, type: itemType, ...rest } = isRecord(item) ? item : {};
  const content = parts.map((part) => {
    const { item: _, type: partType, ...fields } = fieldsFor(responses, part);
    const field = partType === "refusal" ? "refusal" : "text";
    return joinFields({ type: partType, [field]: part.text }, fields);
  });
  return withoutUndefined({
    id,
    type: itemType,
    role: "assistant",
    content: type === undefined ? first.text : content,
    ...rest,
  });
}
