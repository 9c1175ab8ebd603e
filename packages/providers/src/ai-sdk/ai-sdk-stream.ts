import { arrayAt, isRecord, type JsonRecord, recordAt, stringAt } from "@ccl/core/json";

import type { TextDelta } from "../http/whole-deltas.ts";

/** Puts the parts of one stream together. */
export interface AiSdkReader {
  push(part: unknown): TextDelta[];
  /** The result of `doGenerate`; undefined when the stream ended before the answer did. */
  toResult(): JsonRecord | undefined;
}

const pieceTypes: Record<string, TextDelta["type"] | undefined> = {
  "text-delta": "text",
  "reasoning-delta": "reasoning",
};
const kept = new Set(["reasoning-end", "file", "source", "tool-result", "tool-call"]);

/** A reader for the parts of `doStream`, errors apart. */
export function createAiSdkReader(): AiSdkReader {
  const content: JsonRecord[] = [];
  let result: JsonRecord = {};
  let isFinished = false;
  return {
    push(given) {
      const part: JsonRecord = isRecord(given) ? given : {};
      const type = stringAt(part, "type") ?? "";
      if (type === "response-metadata") result["response"] = { id: part["id"] };
      if (type === "stream-start") result["warnings"] = arrayAt(part, "warnings");
      if (type === "finish") result = { ...result, ...part };
      isFinished ||= type === "finish";
      const isBare = Object.keys(recordAt(part, "providerMetadata")).length === 0;
      if (kept.has(type) && !(type === "reasoning-end" && isBare)) content.push(part);
      const pieceType = pieceTypes[type];
      if (pieceType === undefined) return [];
      const text = stringAt(part, "delta") ?? "";
      content.push({ type: pieceType, text });
      return [{ type: pieceType, text }];
    },
    toResult: () => (isFinished ? { ...result, content } : undefined),
  };
}
