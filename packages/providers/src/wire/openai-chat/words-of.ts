import { isRecord, type JsonRecord } from "@ccl/core/json";
/** What an assistant's message without content says: why it refused, or what was spoken; "" for any other. */
export function wordsOf({ refusal, audio }: JsonRecord): string {
  if (typeof refusal === "string") return refusal;
  if (!isRecord(audio)) return "";
  return typeof audio["transcript"] === "string" ? audio["transcript"] : "[audio]";
}
