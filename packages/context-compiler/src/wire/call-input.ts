import type { ToolCall } from "@ccl/core";

/** The arguments of a call for a format that carries them parsed; no text means none. What does not parse stays visible. */
export function callInput(call: ToolCall): unknown {
  if (call.arguments.trim() === "") return {};
  try {
    return JSON.parse(call.arguments);
  } catch {
    return invalidInput(call);
  }
}

/** The form that Anthropic's documentation has for broken arguments; the result of the call tells the model what is wrong. */
export function invalidInput({ arguments: text }: ToolCall): { INVALID_JSON: string } {
  return { INVALID_JSON: text };
}
