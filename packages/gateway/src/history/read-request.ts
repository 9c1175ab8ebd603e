import type { PartKind } from "@ccl/core/tracing";
import { arrayAt, isRecord, type JsonRecord, jsonText, numberAt, stringAt } from "@ccl/core/json";

import { toolNames } from "./client-tools.ts";
import type { HistoryItem } from "./history-item.ts";

/** Keys and indexes that lead from the body to a string. */
export type JsonPath = readonly (string | number)[];

/** A part of a request, with the path of its text in the body. A part without a path must stay unchanged. */
interface RequestItem extends HistoryItem {
  path?: JsonPath | undefined;
}

/** A request, read as a history. */
export interface ReadRequest {
  model: string | undefined;
  items: RequestItem[];
  /** Names of the tools in the request. */
  tools: readonly string[];
}

/** Maximum depth of content. No API nests results in results. Deeper content is counted as a whole. */
const maxPath = 20;

/** Estimated tokens of an image or another file. */
const mediaTokens = 1_200;
const fileTypes = new Set(
  "image image_url input_image document file input_file input_audio".split(" "),
);

/** Parses a request body of one of the three APIs. Returns undefined for any other shape. */
export function readRequest(body: unknown): ReadRequest | undefined {
  if (!isRecord(body)) return undefined;
  const model = stringAt(body, "model");
  const items: RequestItem[] = [];
  const tools = toolNames(body["tools"]);
  if (Array.isArray(body["tools"]) && body["tools"].length > 0)
    items.push({ kind: "tools", text: jsonText(body["tools"]) });
  if (Array.isArray(body["input"])) {
    const instructions = stringAt(body, "instructions");
    if (instructions !== undefined) items.push({ kind: "system", text: instructions });
    for (const [at, item] of body["input"].entries()) readItem(item, ["input", at], items);
    return { model, tools, items: withTools(items) };
  }
  if (!Array.isArray(body["messages"])) return undefined;
  if (body["system"] !== undefined) items.push({ kind: "system", text: textOf(body["system"]) });
  for (const [at, message] of body["messages"].entries())
    readMessage(message, ["messages", at], items);
  return { model, tools, items: withTools(items) };
}

function readMessage(message: unknown, path: JsonPath, items: RequestItem[]): void {
  const role = stringAt(message, "role");
  const callId = stringAt(message, "tool_call_id");
  if (!isRecord(message)) return;
  const reasoning = stringAt(message, "reasoning_content") ?? stringAt(message, "reasoning");
  if (reasoning !== undefined) items.push({ kind: "reasoning", text: reasoning });
  readContent(
    message["content"],
    { path: [...path, "content"], kind: kindOf(role), callId },
    items,
  );
  for (const call of arrayAt(message, "tool_calls")) {
    const called = isRecord(call) ? (call["function"] ?? call["custom"]) : undefined;
    const text = stringAt(called, "arguments") ?? stringAt(called, "input") ?? "";
    items.push({
      kind: "call",
      text,
      tool: stringAt(called, "name"),
      callId: stringAt(call, "id"),
    });
  }
}

function kindOf(role: string | undefined): PartKind {
  if (role === "tool") return "result";
  if (role === "assistant") return "assistant";
  return role === "system" || role === "developer" ? "system" : "user";
}

interface Place {
  path: JsonPath;
  kind: PartKind;
  callId?: string | undefined;
}

function readContent(content: unknown, place: Place, items: RequestItem[]): void {
  const { path, kind, callId } = place;
  if (typeof content === "string") {
    items.push({ kind, text: content, callId, path: kind === "result" ? path : undefined });
    return;
  }
  if (!Array.isArray(content)) return;
  if (path.length > maxPath) return void items.push({ kind: "media", text: jsonText(content) });
  for (const [at, part] of content.entries())
    if (isRecord(part)) readPart(part, { path: [...path, at], kind, callId }, items);
}

function readPart(part: JsonRecord, place: Place, items: RequestItem[]): void {
  const { path, kind, callId } = place;
  const text = stringAt(part, "text");
  const type = stringAt(part, "type") ?? "";
  // A document of Anthropic's API may consist of text.
  const isText = /^(text|content)$/.test(stringAt(part["source"], "type") ?? "");
  if (fileTypes.has(type) && !isText)
    return void items.push({ kind: "media", text: "", mediaTokens });
  switch (type) {
    case "tool_use":
    case "server_tool_use":
      return void items.push({
        kind: "call",
        text: jsonText(part["input"] ?? {}),
        tool: stringAt(part, "name"),
        callId: stringAt(part, "id"),
      });
    case "tool_result":
      return readContent(
        part["content"],
        { path: [...path, "content"], kind: "result", callId: stringAt(part, "tool_use_id") },
        items,
      );
    case "thinking":
      return void items.push({ kind: "reasoning", text: stringAt(part, "thinking") ?? "" });
    default:
      if (text === undefined)
        items.push({ kind: kind === "result" ? "media" : kind, text: jsonText(part) });
      else
        items.push({ kind, text, callId, path: kind === "result" ? [...path, "text"] : undefined });
  }
}

/** Reads a Responses API item. */
function readItem(item: unknown, path: JsonPath, items: RequestItem[]): void {
  if (!isRecord(item)) return;
  const callId = stringAt(item, "call_id");
  switch (stringAt(item, "type")) {
    case "function_call":
    case "custom_tool_call": {
      const text = stringAt(item, "arguments") ?? stringAt(item, "input") ?? "";
      return void items.push({ kind: "call", text, tool: stringAt(item, "name"), callId });
    }
    case "function_call_output":
    case "custom_tool_call_output":
      return readContent(
        item["output"],
        { path: [...path, "output"], kind: "result", callId },
        items,
      );
    case "reasoning":
      return void items.push({ kind: "reasoning", text: textOf(item["summary"]) });
    case "message":
    case undefined:
      return readContent(
        item["content"],
        { path: [...path, "content"], kind: kindOf(stringAt(item, "role")) },
        items,
      );
    default:
      return void items.push({ kind: "call", text: jsonText(item) });
  }
}

/** Sets the tool name of each result from its call. */
function withTools(items: RequestItem[]): RequestItem[] {
  const tools = new Map(
    items.flatMap(({ kind, callId, tool }) =>
      kind === "call" && callId !== undefined ? [[callId, tool]] : [],
    ),
  );
  return items.map((item) =>
    item.kind === "result" ? { ...item, tool: tools.get(item.callId ?? "") } : item,
  );
}

function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  return Array.isArray(content)
    ? content.map((part) => stringAt(part, "text") ?? "").join("\n")
    : jsonText(content ?? "");
}

/** Input tokens that a provider reported, split by cache state. */
export interface ReportedInput {
  cached: number;
  written: number;
  total: number;
}

/** Reads `usage` from any of the three APIs. Returns undefined if it has no input tokens. */
export function readUsage(usage: unknown): ReportedInput | undefined {
  const input = numberAt(usage, "input_tokens") ?? numberAt(usage, "prompt_tokens");
  if (!isRecord(usage) || input === undefined) return undefined;
  const read = numberAt(usage, "cache_read_input_tokens");
  const written = numberAt(usage, "cache_creation_input_tokens") ?? 0;
  if (read !== undefined || written > 0)
    return { cached: read ?? 0, written, total: input + (read ?? 0) + written };
  const details = usage["input_tokens_details"] ?? usage["prompt_tokens_details"];
  const cached = numberAt(usage, "cached_input_tokens") ?? numberAt(details, "cached_tokens") ?? 0;
  return { cached, written: 0, total: input };
}
