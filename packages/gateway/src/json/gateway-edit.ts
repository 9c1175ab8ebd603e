import type { JsonPath } from "../history/read-request.ts";
import { findStrings } from "./find-strings.ts";

/** Replaces a string of the body. Positions are indexes into its text. */
export interface GatewayEdit {
  /** JSON pointer. */
  pointer: string;
  start: number;
  end: number;
  /** The new JSON string, with its quotes. */
  json: string;
}

/** Returns the edits that replace strings of a JSON text. Throws if one is missing. */
export function editsOf(text: string, texts: ReadonlyMap<JsonPath, string>): GatewayEdit[] {
  const spans = findStrings(text, [...texts.keys()]);
  if (spans.length < texts.size) throw new Error("A string was not found where it was read.");
  return spans.map(({ path, ...span }) => ({
    pointer: `/${path.join("/")}`,
    ...span,
    json: JSON.stringify(texts.get(path)),
  }));
}

/** Applies edits, which are in text order, to a text. */
export function applyEdits(text: string, edits: readonly GatewayEdit[]): string {
  const pieces: string[] = [];
  let at = 0;
  for (const { start, end, json } of edits) {
    pieces.push(text.slice(at, start), json);
    at = end;
  }
  return pieces.join("") + text.slice(at);
}
