import type { ModelDelta } from "@ccl/core";
import { arrayAt, type JsonRecord, numberAt, parseJson, recordAt, stringAt } from "@ccl/core/json";

import type { StreamReader } from "../http/create-wire-model.ts";
import { without } from "../json/json-record.ts";
import { fromAnthropicAnswer, toToolCall } from "../wire/anthropic/anthropic-answer.ts";

interface GrowingBlock {
  start: JsonRecord;
  /** Pieces by the field that they add to. */
  pieces: Map<string, string[]>;
  citations: unknown[];
}

// Which field of a block a delta of this type adds to.
const fieldOfDelta: Record<string, string> = {
  text_delta: "text",
  thinking_delta: "thinking",
  signature_delta: "signature",
  input_json_delta: "partial_json",
};

/** Puts the events of one streamed message together: the blocks by their index, then the message that they make. */
export function createAnthropicReader(): StreamReader {
  const blocks = new Map<number, GrowingBlock>();
  const message: JsonRecord = {};
  const usage: JsonRecord = {};
  let isEnded = false;

  const handlers: Record<string, (event: JsonRecord) => ModelDelta[]> = {
    message_start(event) {
      const start = recordAt(event, "message");
      Object.assign(message, without(start, "content", "usage"));
      Object.assign(usage, without(recordAt(start, "usage")));
      return [];
    },
    content_block_start(event) {
      const start = recordAt(event, "content_block");
      const block: GrowingBlock = {
        start,
        pieces: new Map(),
        citations: [...arrayAt(start, "citations")],
      };
      blocks.set(indexOf(event), block);
      const text = stringAt(start, "text") ?? "";
      return start["type"] === "text" && text !== "" ? [{ type: "text", text }] : [];
    },
    content_block_delta(event) {
      const block = blocks.get(indexOf(event));
      return block === undefined ? [] : grow(block, recordAt(event, "delta"));
    },
    content_block_stop(event) {
      const block = blocks.get(indexOf(event));
      return block?.start["type"] === "tool_use"
        ? [{ type: "tool_call", toolCall: toolCallOf(block) }]
        : [];
    },
    message_delta(event) {
      Object.assign(message, without(recordAt(event, "delta")));
      Object.assign(message, without(event, "type", "delta", "usage"));
      Object.assign(usage, without(recordAt(event, "usage")));
      return [];
    },
    message_stop() {
      isEnded = true;
      return [];
    },
  };
  return {
    push: (event) => handlers[stringAt(event, "type") ?? ""]?.(event) ?? [],
    isEnded: () => isEnded,
    finish() {
      if (!isEnded) return undefined;
      const ordered = [...blocks].sort(([left], [right]) => left - right).map(([, block]) => block);
      const response = fromAnthropicAnswer({ ...message, usage, content: ordered.map(finished) });
      const toolCalls = ordered.filter(({ start }) => start["type"] === "tool_use").map(toolCallOf);
      return { deltas: [], response: { ...response, toolCalls } };
    },
  };
}

function indexOf(event: JsonRecord): number {
  return numberAt(event, "index") ?? 0;
}

function grow(block: GrowingBlock, delta: JsonRecord): ModelDelta[] {
  const type = stringAt(delta, "type") ?? "";
  if (type === "citations_delta") block.citations.push(delta["citation"]);
  const field = fieldOfDelta[type];
  const piece = field === undefined ? undefined : stringAt(delta, field);
  if (field === undefined || piece === undefined || piece === "") return [];
  const pieces = block.pieces.get(field) ?? [];
  block.pieces.set(field, pieces);
  pieces.push(piece);
  if (field === "text") return [{ type: "text", text: piece }];
  return field === "thinking" ? [{ type: "reasoning", text: piece }] : [];
}

function finished({ start, pieces, citations }: GrowingBlock): JsonRecord {
  const grown = [...pieces].map(([field, texts]): [string, unknown] =>
    field === "partial_json"
      ? ["input", parseJson(texts.join(""))]
      : [field, (stringAt(start, field) ?? "") + texts.join("")],
  );
  const cited = citations.length > 0 ? { citations } : {};
  return { ...start, ...Object.fromEntries(grown), ...cited };
}

// The arguments stay the model's own text, which may be broken when the answer is cut off.
function toolCallOf({ start, pieces }: GrowingBlock): ReturnType<typeof toToolCall> {
  const call = toToolCall(start);
  const text = pieces.get("partial_json")?.join("");
  return text === undefined ? call : { ...call, arguments: text };
}
