import type { Issue, ModelDelta, ModelResponse } from "@ccl/core";

/** A piece of a model's text or reasoning. */
export type TextDelta = Extract<ModelDelta, { type: "text" | "reasoning" }>;

/** The text and the reasoning that the stream has yielded so far. */
type Given = Record<TextDelta["type"], string>;

/** Yields a whole answer as deltas, leaving out the part that was already yielded. */
export function* wholeDeltas(
  response: ModelResponse,
  given: Given = { reasoning: "", text: "" },
): Generator<ModelDelta> {
  for (const type of ["reasoning", "text"] as const) {
    const text = (response[type] ?? "").slice(given[type].length);
    if (text !== "") yield { type, text };
  }
  for (const toolCall of response.toolCalls) yield { type: "tool_call", toolCall };
  yield { type: "finish", response };
}

/** Yields the pieces of a stream, then whatever else the whole answer contains. */
export async function* streamDeltas(
  pieces: AsyncIterable<TextDelta>,
  finish: () => ModelResponse,
): AsyncGenerator<ModelDelta> {
  const given: Given = { reasoning: "", text: "" };
  for await (const piece of pieces) {
    if (piece.text === "") continue;
    given[piece.type] += piece.text;
    yield piece;
  }
  yield* wholeDeltas(asGiven(finish(), given), given);
}

/** Keeps the pieces if the whole answer contradicts them, since the reader has already seen them. */
function asGiven(response: ModelResponse, given: Given): ModelResponse {
  const types = (["reasoning", "text"] as const).filter(
    (type) => !(response[type] ?? "").startsWith(given[type]),
  );
  if (types.length === 0) return response;
  const warnings = types.map((type): Issue => ({
    code: "stream_differs",
    path: [type],
    message: `The final ${type} differs from the streamed chunks, which were kept.`,
    severity: "warning",
  }));
  const kept = Object.fromEntries(types.map((type) => [type, given[type]]));
  return { ...response, ...kept, warnings: [...(response.warnings ?? []), ...warnings] };
}
