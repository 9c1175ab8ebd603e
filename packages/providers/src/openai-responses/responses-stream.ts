import { arrayAt, type JsonRecord, numberAt, recordAt, stringAt } from "@ccl/core/json";

import type { StreamReader } from "../http/create-wire-model.ts";
import type { TextDelta } from "../http/whole-deltas.ts";

const pieceTypes: Record<string, TextDelta["type"] | undefined> = {
  "response.output_text.delta": "text",
  "response.refusal.delta": "text",
  "response.reasoning_summary_text.delta": "reasoning",
  "response.reasoning_text.delta": "reasoning",
};
const ends = new Set(["response.completed", "response.incomplete", "response.done"]);

/** Assembles the events of one response: finished items first, then the response that contains them. */
export function createResponsesReader(): StreamReader {
  const items = new Map<number, JsonRecord>();
  let last: JsonRecord | undefined;
  return {
    push(event) {
      const type = stringAt(event, "type") ?? "";
      if (ends.has(type)) last = recordAt(event, "response");
      if (type === "response.output_item.done")
        items.set(numberAt(event, "output_index") ?? items.size, recordAt(event, "item"));
      const pieceType = pieceTypes[type];
      const text = stringAt(event, "delta") ?? "";
      return pieceType === undefined ? [] : [{ type: pieceType, text }];
    },
    isEnded: () => last !== undefined,
    toBody() {
      if (last === undefined) return undefined;
      const done = [...items].sort(([left], [right]) => left - right).map(([, item]) => item);
      // Some servers omit the items in the last event.
      return { ...last, output: arrayAt(last, "output").length > 0 ? last["output"] : done };
    },
  };
}
