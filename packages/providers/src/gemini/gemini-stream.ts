import type { JsonRecord } from "@ccl/core/json";

import type { StreamReader } from "../http/create-wire-model.ts";
import { without } from "../json/json-record.ts";
import { firstCandidate, partsIn, textIn } from "../wire/gemini/gemini-answer.ts";

/**
 * Assembles the chunks of one streamed answer: all parts of the first candidate, and the last value of other fields.
 */
export function createGeminiReader(): StreamReader {
  const parts: JsonRecord[] = [];
  const root: JsonRecord = {};
  const candidate: JsonRecord = {};
  return {
    push(chunk) {
      Object.assign(root, without(chunk, "candidates"));
      const given = firstCandidate(chunk) ?? {};
      Object.assign(candidate, without(given, "content"));
      const added = partsIn(given);
      parts.push(...added);
      return (["reasoning", "text"] as const).map((type) => ({ type, text: textIn(added, type) }));
    },
    // Some gateways send the token counts in a separate chunk.
    isEnded: () => candidate["finishReason"] !== undefined && root["usageMetadata"] !== undefined,
    toBody: () =>
      candidate["finishReason"] === undefined
        ? undefined
        : { ...root, candidates: [{ ...candidate, content: { parts } }] },
  };
}
