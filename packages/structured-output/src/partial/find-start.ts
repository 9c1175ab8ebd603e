import { looksLikeJson } from "../extract/find-candidates.ts";
import { isQuote } from "../repair/marks.ts";

const STOP = /<(think|thinking|thought|reasoning)>|```[\w+-]*\s|[{[]/g;
const SCALAR = /[-\d]|(?:true|false|null)\b/y;
/** Number of characters after a bracket needed to decide whether it opens a value. */
const LOOK_AHEAD = 160;

/** Finds the first value in an answer that is still arriving, or the offset to resume the search from. */
export function findStart(
  text: string,
  from: number,
  isEnd: boolean,
): { at?: number | undefined; from: number } {
  let isBodyStart = from === 0;
  for (let position = from; ;) {
    const body = position + text.slice(position).search(/[^\s\ufeff]|$/);
    SCALAR.lastIndex = body;
    const isFence = text.startsWith("`", body);
    if (isBodyStart && !isFence && (isQuote(text[body]) || SCALAR.test(text)))
      return { at: body, from };
    STOP.lastIndex = position;
    const match = STOP.exec(text);
    // A tag or a fence may still be incomplete.
    if (match === null)
      return { from: isBodyStart ? position : Math.max(position, text.length - 16) };
    isBodyStart &&= match.index === body;
    const [mark, tag] = match;
    if (tag !== undefined) {
      const end = text.indexOf(`</${tag}>`, match.index);
      if (end < 0) return { from: position };
      position = end + tag.length + 3;
      isBodyStart = true;
    } else if (mark.startsWith("`")) {
      position = STOP.lastIndex;
      isBodyStart = true;
    } else if (isBodyStart || looksLikeJson(text, match.index)) return { at: match.index, from };
    else if (!isEnd && text.length - match.index < LOOK_AHEAD) return { from: match.index };
    else position = match.index + 1;
  }
}
