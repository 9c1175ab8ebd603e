import { isWireRecord, type WireRecord } from "../wire/wire-fields.ts";

/** What an assistant's message without content says: why it refused, or what was spoken; "" for any other. */
export function wordsOf({ refusal, audio }: WireRecord): string {
  if (typeof refusal === "string") return refusal;
  if (!isWireRecord(audio)) return "";
  return typeof audio["transcript"] === "string" ? audio["transcript"] : "[audio]";
}
