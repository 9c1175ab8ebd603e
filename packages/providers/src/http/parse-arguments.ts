import type { ToolCall } from "@ccl/core";

import { isRecord, type JsonRecord, parseJson } from "../json/json-record.ts";

/**
 * The arguments of an earlier call, for a wire that carries them as an object; no text at all means none. What is no JSON
 * object goes as `{ INVALID_JSON: text }`, the form that Anthropic's documentation has for it, since the call's result
 * tells the model what is wrong.
 */
export function parseArguments(call: ToolCall): JsonRecord {
  if (call.arguments.trim() === "") return {};
  const value = parseJson(call.arguments);
  return isRecord(value) ? value : { INVALID_JSON: call.arguments };
}
