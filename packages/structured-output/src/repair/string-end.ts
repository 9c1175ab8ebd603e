import { isQuote } from "./quote-marks.ts";
import { type TextView } from "./text-view.ts";

/** Where a string stands, which decides what may follow it. */
export interface StringPlace {
  within: "key" | "object" | "array" | "paren";
  /** Brackets open around the string. */
  depth: number;
}

/** A quotation mark inside a string that may be its end. */
export interface QuoteCandidate {
  view: TextView;
  /** Offset of the last character of the mark. */
  position: number;
  mark: string;
  place: StringPlace;
  /** An unescaped quote was opened inside the string and not closed yet. */
  isInsideQuote: boolean;
}

const MAX_NAME_LENGTH = 64;
const MAX_CLOSERS = 64;
const NAME = /[\p{L}_$][\p{L}\p{N}_$-]{0,63}/uy;
const VALUE_WORD = /(?:true|false|null|none|undefined|nan)\b|[-+.\d[{]/iy;
const WORD_CHARACTER = /[\p{L}\p{N}_]/u;

/** Whether what follows the mark is what follows a string of that place, so that the mark ends it. */
export function endsString(candidate: QuoteCandidate): boolean {
  const { view, position, place } = candidate;
  const next = view.skipGap(position + 1);
  const character = view.text[next];
  if (character === undefined) return true;
  if (place.within === "key") return endsKey(candidate, next);
  if (character === "+") return isQuote(view.text[view.skipGap(next + 1)]);
  if (character === "}" || character === "]") return endsBeforeClosers(candidate, next);
  if (character === ")") return place.within === "paren";
  if (character === ";" || view.text.startsWith("```", next)) return true;
  if (isFollowedByKey(candidate, next)) return true;
  if (place.within === "object") return character === "," && endsBeforeComma(candidate, next);
  if (candidate.isInsideQuote) return false;
  if (character === ",") return endsBeforeComma(candidate, next);
  if (character === ":") return place.within === "array";
  return next > position + 1 && startsItem(view, next);
}

/** Whether an object key and its colon stand at the offset. */
export function startsKey(view: TextView, position: number): boolean {
  const mark = view.text[position] ?? "";
  if (isQuote(mark)) {
    const isDoubled = view.text[position + 1] === mark;
    const end = view.findQuote(mark, position + (isDoubled ? 2 : 1));
    return (
      view.text[view.skipGap(isDoubled && view.text[end + 1] === mark ? end + 2 : end + 1)] === ":"
    );
  }
  const nameEnd = matchEnd(NAME, view.text, position);
  const end = view.skipSpace(view.text[nameEnd] === '"' ? nameEnd + 1 : nameEnd);
  return nameEnd > position && view.text[end] === ":" && view.text[end + 1] !== "/";
}

function endsKey({ view, position, mark }: QuoteCandidate, next: number): boolean {
  const character = view.text[next] ?? "";
  if (":,}=".includes(character)) return true;
  if (next === position + 1) return !WORD_CHARACTER.test(character) && character !== mark;
  if (!WORD_CHARACTER.test(character)) return true;
  return view.text[view.skipSpace(view.findQuote(mark, next) + 1)] !== ":";
}

// A missing comma: the next key follows at once, or on its own line if it has no quotation marks.
function isFollowedByKey({ view, position, place }: QuoteCandidate, next: number): boolean {
  if (place.within !== "object" || !startsKey(view, next)) return false;
  return isQuote(view.text[next]) || hasLineBreak(view.text, position + 1, next);
}

function endsBeforeComma({ view, place, isInsideQuote }: QuoteCandidate, comma: number): boolean {
  const next = view.skipGap(comma + 1);
  const character = view.text[next];
  if (character === undefined || ",}])".includes(character) || view.text.startsWith("...", next))
    return true;
  if (place.within === "object") return startsKey(view, next);
  return !isInsideQuote && (startsItem(view, next) || startsPlainItem(view, next));
}

// Closers end the string if what stands behind them could follow a value: code in a string rarely looks so.
function endsBeforeClosers({ view, place }: QuoteCandidate, first: number): boolean {
  let closers = 0;
  let next = first;
  while (closers < MAX_CLOSERS && "}])".includes(view.text[next] ?? " ")) {
    closers += 1;
    first = next;
    next = view.skipGap(next + 1);
  }
  const character = view.text[next];
  if (character === undefined || closers >= MAX_CLOSERS) return true;
  if (hasLineBreak(view.text, first, next)) return true;
  if (closers >= place.depth) return next > first + 1 || ",;`".includes(character);
  if (character === ",") return isAfterComma(view, view.skipGap(next + 1));
  return isQuote(character) || "{[`".includes(character);
}

function isAfterComma(view: TextView, next: number): boolean {
  const character = view.text[next];
  if (character === undefined || "}])".includes(character)) return true;
  return startsItem(view, next) || startsKey(view, next);
}

function startsItem(view: TextView, position: number): boolean {
  return isQuote(view.text[position]) || matchEnd(VALUE_WORD, view.text, position) > position;
}

// A word without quotation marks that ends where an item ends.
function startsPlainItem(view: TextView, position: number): boolean {
  const end = view.findQuote("]", position);
  return end - position < MAX_NAME_LENGTH && view.findQuote('"', position) > end;
}

function hasLineBreak(text: string, from: number, to: number): boolean {
  for (let at = Math.max(from, to - MAX_NAME_LENGTH); at < to; at += 1)
    if (text[at] === "\n") return true;
  return false;
}

function matchEnd(pattern: RegExp, text: string, position: number): number {
  pattern.lastIndex = position;
  return pattern.test(text) ? pattern.lastIndex : position;
}
