import type { FinishReason } from "@ccl/core";

import { entryOf } from "./wire-fields.ts";

/** The reasons of all formats, in lower case with underscores. */
const reasons: Record<string, FinishReason | undefined> = {
  stop: "stop",
  length: "length",
  tool_calls: "tool_calls",
  content_filter: "content_filter",
  function_call: "tool_calls",
  // Together, and servers based on Hugging Face's text generation
  eos: "stop",
  eos_token: "stop",
  // Mistral
  model_length: "length",
  // OpenAI's responses
  max_output_tokens: "length",
  // Anthropic
  end_turn: "stop",
  stop_sequence: "stop",
  max_tokens: "length",
  model_context_window_exceeded: "length",
  tool_use: "tool_calls",
  refusal: "content_filter",
  // Gemini
  safety: "content_filter",
  recitation: "content_filter",
  blocklist: "content_filter",
  prohibited_content: "content_filter",
  spii: "content_filter",
  image_safety: "content_filter",
  image_prohibited_content: "content_filter",
  image_recitation: "content_filter",
};

/** Converts a finish reason. With tool calls, some servers report `stop`. */
export function finishReasonOf(reason: unknown, calls = 0): FinishReason {
  const known = entryOf(reasons, String(reason).toLowerCase().replaceAll("-", "_")) ?? "other";
  return known === "stop" && calls > 0 ? "tool_calls" : known;
}
