import type { ToolCall } from "@ccl/core";
import { isRecord, type JsonRecord, parseJson } from "@ccl/core/json";

import { formOf } from "./original-form.ts";
import { fieldsFor } from "./wire-fields.ts";

/**
 * The arguments of a call, for a format that sends them parsed; empty text means no arguments. Broken JSON is sent as
 * `{ INVALID_JSON: text }`, which Anthropic's documentation proposes: the call's result says what is wrong. The text of a
 * custom tool of OpenAI, which takes no JSON, is sent as `{ input: text }`.
 */
export function callInput(call: ToolCall): unknown {
  if (isCustom(call)) return { input: call.arguments };
  if (call.arguments.trim() === "") return {};
  const input = parseJson(call.arguments);
  return input === undefined ? { INVALID_JSON: call.arguments } : input;
}

/** As `callInput`, for a format that takes nothing but an object. */
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
