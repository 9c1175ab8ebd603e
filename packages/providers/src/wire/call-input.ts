import type { ToolCall } from "@ccl/core";
import { isRecord, type JsonRecord, parseJson } from "@ccl/core/json";

import { formOf } from "./original-form.ts";
import { fieldsFor } from "./wire-fields.ts";

/**
 * Parses the arguments of a call. Empty text means no arguments. Invalid JSON becomes `{ INVALID_JSON: text }`, as
 * Anthropic's documentation suggests, and the call's result explains the problem. The text of an OpenAI custom tool,
 * which is not JSON, becomes `{ input: text }`.
 */
export function callInput(call: ToolCall): unknown {
  if (isCustom(call)) return { input: call.arguments };
  if (call.arguments.trim() === "") return {};
  const input = parseJson(call.arguments);
  return input === undefined ? { INVALID_JSON: call.arguments } : input;
}

/** Like `callInput`, for formats that accept only objects. */
export function callRecord(call: ToolCall): JsonRecord {
  const input = callInput(call);
  return isRecord(input) ? input : { INVALID_JSON: call.arguments };
}

function isCustom(call: ToolCall): boolean {
  return (
    formOf("openai", call)["isCustom"] === true ||
    fieldsFor("openai-responses", call)["type"] === "custom_tool_call"
  );
}
