import type { ModelDelta, ModelResponse } from "@ccl/core";

/** A whole answer as the deltas of a stream. */
export function* wholeDeltas(response: ModelResponse): Generator<ModelDelta> {
  const { reasoning, text, toolCalls } = response;
  if (reasoning !== undefined) yield { type: "reasoning", text: reasoning };
  if (text !== "") yield { type: "text", text };
  for (const toolCall of toolCalls) yield { type: "tool_call", toolCall };
  yield { type: "finish", response };
}
