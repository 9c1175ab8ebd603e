import { isQuote, punctuationAt } from "./marks.ts";
import type { TextView } from "./text-view.ts";

const BARE_KEY = /[\p{L}\p{N}_$-]{1,64}\s{0,8}[:：](?!\/)/uy;
const ITEM_START = /[{[(\]\d+.\-tfnTFNIu]/;

/** Whether a key without marks, and its colon, stand at the offset. */
export function startsBareKey(text: string, position: number): boolean {
  BARE_KEY.lastIndex = position;
  return BARE_KEY.test(text);
}

/**
 * Whether what stands at an offset can follow a string: behind a key a colon, behind a value what closes its bracket, or a
 * comma and the next one. Undefined where the text ends before it is known.
 */
export function followsString(
  view: TextView,
  from: number,
  within: "key" | "object" | "array" | "paren" | undefined,
): boolean | undefined {
  const { text, skipGap } = view;
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
