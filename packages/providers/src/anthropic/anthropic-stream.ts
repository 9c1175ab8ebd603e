import {
  arrayAt,
  isRecord,
  type JsonRecord,
  numberAt,
  parseJson,
  recordAt,
  stringAt,
} from "@ccl/core/json";

import type { StreamReader } from "../http/create-wire-model.ts";
import type { TextDelta } from "../http/whole-deltas.ts";
import { argumentText } from "../wire/call-ids.ts";
import { without } from "../wire/wire-fields.ts";

interface GrowingBlock {
  block: JsonRecord;
  /** Pieces of the call's arguments. */
  input: string;
}

// Maps each delta type to its block type and the field to append to.
const targets: Record<string, [type: string, field: string] | undefined> = {
  text_delta: ["text", "text"],
  thinking_delta: ["thinking", "thinking"],
  signature_delta: ["thinking", "signature"],
  input_json_delta: ["tool_use", "partial_json"],
  citations_delta: ["text", "citation"],
};

/** Assembles the events of a streamed message. Keeps blocks in the order in which they started. */
export function createAnthropicReader(): StreamReader {
  const blocks: GrowingBlock[] = [];
  const atIndex = new Map<number, GrowingBlock>();
  const message: JsonRecord = {};
  const usage: JsonRecord = {};
  let isEnded = false;

  const start = (event: JsonRecord, block: JsonRecord): GrowingBlock => {
    const begun = { block: { ...block }, input: "" };
    blocks.push(begun);
    atIndex.set(numberAt(event, "index") ?? 0, begun);
    return begun;
  };
  const join = (fields: JsonRecord, ...others: string[]): void => {
    Object.assign(message, without(fields, "content", "usage", ...others));
    // In the last event, some gateways report only the tokens since the start.
    for (const [key, count] of Object.entries(without(recordAt(fields, "usage"))))
      usage[key] = count || usage[key] || count;
  };
  const begin = (event: JsonRecord, block: JsonRecord): TextDelta[] => {
    start(event, block);
    return textsOf(block);
  };
  const handlers: Record<string, ((event: JsonRecord) => TextDelta[]) | undefined> = {
    message_start(event) {
      const begun = recordAt(event, "message");
      join(begun);
      return arrayAt(begun, "content")
        .filter(isRecord)
        .flatMap((block, index) => begin({ index }, block));
    },
    content_block_start: (event) => begin(event, recordAt(event, "content_block")),
    content_block_delta(event) {
      const delta = recordAt(event, "delta");
      const [type, field] = targets[stringAt(delta, "type") ?? ""] ?? [];
      if (type === undefined || field === undefined) return [];
      // Some gateways omit the event that starts a block.
      const known = atIndex.get(numberAt(event, "index") ?? 0) ?? start(event, { type });
      return grow(known, field, delta[field]);
    },
    message_delta(event) {
      join(recordAt(event, "delta"));
      join(event, "type", "delta");
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
    toBody: () =>
      isEnded || message["stop_reason"] !== undefined
        ? { ...message, usage, content: blocks.map(finished) }
        : undefined,
  };
}

function textsOf(block: JsonRecord): TextDelta[] {
  const { type } = block;
  if (type === "text") return [{ type, text: stringAt(block, "text") ?? "" }];
  return type === "thinking"
    ? [{ type: "reasoning", text: stringAt(block, "thinking") ?? "" }]
    : [];
}

function grow(growing: GrowingBlock, field: string, piece: unknown): TextDelta[] {
  const { block } = growing;
  if (field === "citation") block["citations"] = [...arrayAt(block, "citations"), piece];
  else if (field === "partial_json") growing.input += piece ? argumentText(piece) : "";
  else if (typeof piece === "string") {
    block[field] = (stringAt(block, field) ?? "") + piece;
    return field === "signature" ? [] : textsOf({ type: field, [field]: piece });
  }
  return [];
}

// Keeps arguments as text, since parsing could fail or change their formatting.
function finished({ block, input }: GrowingBlock): JsonRecord {
  if (input === "") return block;
  const isCall = block["type"] === "tool_use";
  return { ...block, input: isCall ? input : parseJson(input) };
}
