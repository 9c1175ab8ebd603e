import { type JsonRecord, recordAt, stringAt } from "@ccl/core/json";

import { type DialectFormat, type PlayedAnswer, piecesOf } from "./dialect-format.ts";
import { openAiFormat } from "./openai-format.ts";

const chat = openAiFormat("openai");

/** OpenAI's responses. The errors are those of chat completions. */
export const responsesFormat: DialectFormat = {
  chatPath: "/v1/responses",
  required: ["model", "input"],
  requestIdHeader: "x-request-id",
  streamType: "text/event-stream",
  isStreaming: (body) => body["stream"] === true,
  keyOf: chat.keyOf,
  objection: () => undefined,
  wantsJson: (body) =>
    (stringAt(recordAt(recordAt(body, "text"), "format"), "type") ?? "text") !== "text",
  toWhole: wholeOf,
  toStream: streamOf,
  toError: chat.toError,
};

function itemsOf({ text, reasoning, refusal, toolCalls }: PlayedAnswer): JsonRecord[] {
  const content = [
    ...(text === "" ? [] : [{ type: "output_text", text, annotations: [] }]),
    ...(refusal === "" ? [] : [{ type: "refusal", refusal }]),
  ];
  const calls = toolCalls.map(({ id, name, namespace, arguments: given }) => ({
    type: "function_call",
    id: `fc_${id}`,
    call_id: id,
    name,
    namespace,
    arguments: given,
    status: "completed",
  }));
  const summary = [{ type: "summary_text", text: reasoning }];
  return [
    ...(reasoning === "" ? [] : [{ type: "reasoning", id: "rs_test", summary }]),
    ...(content.length === 0
      ? []
      : [{ type: "message", id: "msg_test", role: "assistant", status: "completed", content }]),
    ...calls,
  ];
}

function wholeOf(answer: PlayedAnswer, body: JsonRecord): JsonRecord {
  const { usage, finishReason, extra } = answer;
  const reason = finishReason === "length" ? "max_output_tokens" : "content_filter";
  const isCut = finishReason === "length" || finishReason === "content_filter";
  return {
    id: "resp_test",
    object: "response",
    created_at: 1_700_000_000,
    model: body["model"],
    status: isCut ? "incomplete" : "completed",
    incomplete_details: isCut ? { reason } : null,
    error: null,
    output: itemsOf(answer),
    usage: {
      input_tokens: usage.inputTokens,
      input_tokens_details: { cached_tokens: usage.cachedInputTokens },
      output_tokens: usage.outputTokens,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: usage.inputTokens + usage.outputTokens,
    },
    ...extra,
  };
}

function streamOf(answer: PlayedAnswer, body: JsonRecord): string[] {
  const whole = wholeOf(answer, body);
  const started = { ...whole, status: "in_progress", output: [], usage: null };
  const items = itemsOf(answer).flatMap((item, index) => [
    { type: "response.output_item.added", output_index: index, item: begunItem(item) },
    ...deltasOf(item, answer).map((delta) => ({
      ...delta,
      item_id: item["id"],
      output_index: index,
    })),
    { type: "response.output_item.done", output_index: index, item },
  ]);
  const events: JsonRecord[] = [
    { type: "response.created", response: started },
    ...items,
    { type: `response.${String(whole["status"])}`, response: whole },
  ];
  return events.map(
    (event, index) =>
      `event: ${String(event["type"])}\ndata: ${JSON.stringify({ ...event, sequence_number: index })}\n\n`,
  );
}

/** An item at its start in a stream. */
function begunItem(item: JsonRecord): JsonRecord {
  if (item["type"] === "message") return { ...item, status: "in_progress", content: [] };
  if (item["type"] === "reasoning") return { ...item, summary: [] };
  return { ...item, status: "in_progress", arguments: "" };
}

function deltasOf(item: JsonRecord, { text, reasoning, refusal }: PlayedAnswer): JsonRecord[] {
  const deltas = (name: string, words: string, place: JsonRecord = {}): JsonRecord[] =>
    piecesOf(words).map((delta) => ({ type: `response.${name}.delta`, delta, ...place }));
  const part = (index: number, begun: JsonRecord): JsonRecord => ({
    type: "response.content_part.added",
    content_index: index,
    part: begun,
  });
  if (item["type"] === "reasoning") {
    const place = { summary_index: 0 };
    const begun = { type: "summary_text", text: "" };
    return [
      { type: "response.reasoning_summary_part.added", part: begun, ...place },
      ...deltas("reasoning_summary_text", reasoning, place),
    ];
  }
  if (item["type"] !== "message")
    return deltas("function_call_arguments", stringAt(item, "arguments") ?? "");
  const said =
    text === ""
      ? []
      : [
          part(0, { type: "output_text", text: "", annotations: [] }),
          ...deltas("output_text", text, { content_index: 0 }),
        ];
  const index = said.length > 0 ? 1 : 0;
  const refused =
    refusal === ""
      ? []
      : [
          part(index, { type: "refusal", refusal: "" }),
          ...deltas("refusal", refusal, { content_index: index }),
        ];
  return [...said, ...refused];
}
