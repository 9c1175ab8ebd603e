import type { ModelDelta } from "@ccl/core";
import { arrayAt, type JsonRecord, numberAt, recordAt, stringAt } from "@ccl/core/json";

import type { StreamReader } from "../http/create-wire-model.ts";
import { fromResponsesAnswer } from "../wire/openai-responses/index.ts";

const deltaTypes: Record<string, "text" | "reasoning" | undefined> = {
  "response.output_text.delta": "text",
  "response.reasoning_summary_text.delta": "reasoning",
  "response.reasoning_text.delta": "reasoning",
};
const ends = new Set(["response.completed", "response.incomplete"]);

/** Puts the events of one response together: the items as they are done, then the response that holds them all. */
export function createResponsesReader(): StreamReader {
  const items = new Map<number, JsonRecord>();
  let last: JsonRecord | undefined;
  return {
    push(event) {
      const type = stringAt(event, "type") ?? "";
      const text = stringAt(event, "delta") ?? "";
      const deltaType = deltaTypes[type];
      if (deltaType !== undefined && text !== "") return [{ type: deltaType, text }];
      if (ends.has(type)) last = recordAt(event, "response");
      if (type !== "response.output_item.done") return [];
      const item = recordAt(event, "item");
      items.set(numberAt(event, "output_index") ?? items.size, item);
      return fromResponsesAnswer({ output: [item] }).toolCalls.map((toolCall): ModelDelta => ({
        type: "tool_call",
        toolCall,
      }));
    },
    isEnded: () => last !== undefined,
    finish() {
      if (last === undefined) return undefined;
      const done = [...items].sort(([left], [right]) => left - right).map(([, item]) => item);
      const output = arrayAt(last, "output");
      // Some servers leave the items out of the end.
      return {
        deltas: [],
        response: fromResponsesAnswer({ ...last, output: output.length > 0 ? output : done }),
      };
    },
  };
}
