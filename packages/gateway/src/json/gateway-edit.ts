import type { JsonPath } from "../history/read-request.ts";
import { findStrings } from "./find-strings.ts";

/** Replaces a string of the body. Positions are in bytes. */
export interface GatewayEdit {
  /** JSON pointer. */
  pointer: string;
  start: number;
  end: number;
  /** The new JSON string, with its quotes. */
  json: string;
}

/** The edits that replace strings of a JSON text. Throws if one is missing. */
export function editsOf(text: string, texts: ReadonlyMap<JsonPath, string>): GatewayEdit[] {
  const spans = findStrings(text, [...texts.keys()]);
  if (spans.length < texts.size) throw new Error("A string was not found where it was read.");
  const encoder = new TextEncoder();
  // A code unit takes up to three bytes.
  const scratch = new Uint8Array(text.length * 3);
  let [at, bytes] = [0, 0];
  const bytesTo = (end: number): number => {
    bytes += encoder.encodeInto(text.slice(at, end), scratch).written;
    at = end;
    return bytes;
  };
  return spans.map(({ path, start, end }) => ({
    pointer: `/${path.join("/")}`,
    start: bytesTo(start),
    end: bytesTo(end),
    json: JSON.stringify(texts.get(path)),
  }));
}

/** Applies edits, which are in text order, to the bytes. */
export function splice(body: Uint8Array, edits: readonly GatewayEdit[]): Uint8Array {
  const encoder = new TextEncoder();
  const pieces: Uint8Array[] = [];
  let at = 0;
  for (const { start, end, json } of edits) {
    pieces.push(body.subarray(at, start), encoder.encode(json));
    at = end;
  }
  pieces.push(body.subarray(at));
  const whole = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let place = 0;
  for (const piece of pieces) {
    whole.set(piece, place);
    place += piece.length;
  }
  return whole;
}
