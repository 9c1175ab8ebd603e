import type { ToolCall } from "@ccl/core";

import { isRecord, type JsonRecord, parseJson } from "../json/json-record.ts";
import { unsupportedRequest } from "./unsupported-request.ts";

/** The arguments of an earlier call, for a wire that carries them as an object. No text at all means no arguments. */
export function parseArguments(call: ToolCall, provider: string): JsonRecord {
  if (call.arguments.trim() === "") return {};
  const value = parseJson(call.arguments);
  if (isRecord(value)) return value;
  const what = `the arguments of the call ${JSON.stringify(call.id)}, which are not a JSON object`;
  throw unsupportedRequest(provider, what, "mend them, or leave the call and its result out");
}
