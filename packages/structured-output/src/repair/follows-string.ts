import { isQuote, punctuationAt } from "./marks.ts";
import type { TextView } from "./text-view.ts";

const BARE_KEY = /[\p{L}\p{N}_$-]{1,64}\s{0,8}[:：](?!\/)/uy;
const ITEM_START = /[{[(\]\d+.\-tfnTFNIu]/;

/** True if an unquoted key and its colon start at the offset. */
export function startsBareKey(text: string, position: number): boolean {
  BARE_KEY.lastIndex = position;
  return BARE_KEY.test(text);
}

/**
 * True if the text at an offset can follow a string: a colon after a key, or after a value a closing bracket, or a
 * comma and the next value. Undefined if the text ends too early to decide.
 */
export function followsString(
  view: TextView,
  from: number,
  within: "key" | "object" | "array" | "paren" | undefined,
): boolean | undefined {
  const { text, skipGap } = view;
  // The string `the "#1" song` does not end in a comment.
  if (text[from] === "#") return false;
  const next = skipGap(from);
  const character = punctuationAt(text, next);
  if (character === "") return undefined;
  if (within === "key") return character === ":";
  const closer = within === "object" ? "}" : within === "array" ? "]" : ")";
  if (character === closer || text.startsWith("```", next)) return true;
  if (character !== ",") return false;
  const following = skipGap(next + 1);
  const then = punctuationAt(text, following);
  if (then === "") return undefined;
  if (isQuote(then) || then === closer) return true;
  return within === "object" ? startsBareKey(text, following) : ITEM_START.test(then);
}
