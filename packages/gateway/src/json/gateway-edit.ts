import type { JsonPath } from "../history/read-request.ts";
import { findStrings } from "./find-strings.ts";

/** Replaces a string in the body. Positions are indexes into the body's text. */
export interface GatewayEdit {
  /** JSON pointer. */
  pointer: string;
  start: number;
  end: number;
  /** The new string as JSON, including quotes. */
  json: string;
}

/** Returns the edits that replace strings in a JSON text. Throws if a path leads to no string. */
export function editsOf(text: string, texts: ReadonlyMap<JsonPath, string>): GatewayEdit[] {
  const spans = findStrings(text, [...texts.keys()]);
  if (spans.length < texts.size) throw new Error("A string was not found where it was read.");
  return spans.map(({ path, ...span }) => ({
    pointer: `/${path.join("/")}`,
    ...span,
    json: JSON.stringify(texts.get(path)),
  }));
}

/** Applies edits to a text. The edits must be in text order. */
export function applyEdits(text: string, edits: readonly GatewayEdit[]): string {
  const pieces: string[] = [];
  let at = 0;
  for (const { start, end, json } of edits) {
    pieces.push(text.slice(at, start), json);
    at = end;
  }
  return pieces.join("") + text.slice(at);
}
