import type { TokenCounter } from "../tokens/token-counter.ts";
import { groupDigits } from "./group-digits.ts";

/** The limit of the result, marker included. Characters are UTF-16 code units. */
type TruncateMiddleOptions = (
  | { maxChars: number }
  | { maxTokens: number; counter: TokenCounter }
) & {
  /**
   * Returns the text that replaces the removed middle. Receives the removed amount in the unit of
   * the limit.
   */
  marker?: ((removed: number) => string) | undefined;
};

/** The text within its limit, and how much was removed. */
export interface TruncatedText {
  text: string;
  isTruncated: boolean;
  removedChars: number;
  /** Set only if the limit is in tokens. */
  removedTokens?: number | undefined;
}

/**
 * Keeps the head and tail of a text and marks the removed middle, e.g. `[... 1,234 characters
 * removed ...]`. Cuts at nearby line ends and never inside a grapheme. If the limit is too small
 * for the marker, the text is empty and `isTruncated` is set, because a prompt must neither exceed
 * its limit nor contain an unmarked cut.
 */
export function truncateMiddle(text: string, options: TruncateMiddleOptions): TruncatedText {
  return "maxChars" in options
    ? truncateToChars(text, options.maxChars, options.marker ?? defaultMarker("characters"))
    : truncateToTokens(text, options, options.marker ?? defaultMarker("tokens"));
}

function truncateToChars(
  text: string,
  maxChars: number,
  marker: (removed: number) => string,
): TruncatedText {
  if (text.length <= maxChars) return { text, isTruncated: false, removedChars: 0 };
  const shortened = cutMiddle(text, maxChars - marker(text.length).length, createBoundaries(text));
  const removedChars = text.length - shortened.head.length - shortened.tail.length;
  const result = shortened.head + marker(removedChars) + shortened.tail;
  return result.length <= maxChars
    ? { text: result, isTruncated: true, removedChars }
    : { text: "", isTruncated: true, removedChars: text.length };
}

function truncateToTokens(
  text: string,
  { maxTokens, counter }: { maxTokens: number; counter: TokenCounter },
  marker: (removed: number) => string,
): TruncatedText {
  const total = counter.count(text);
  if (total <= maxTokens) return { text, isTruncated: false, removedChars: 0, removedTokens: 0 };
  const boundaries = createBoundaries(text);
  let best: TruncatedText = {
    text: "",
    isTruncated: true,
    removedChars: text.length,
    removedTokens: total,
  };
  let low = { chars: 0, tokens: 0 };
  let high = { chars: text.length, tokens: total };
  for (
    let step = 0;
    high.chars - low.chars > 1 && low.tokens < maxTokens - maxTokens * slack;
    step++
  ) {
    const chars = guessBetween(low, high, step % 3 === 2 ? undefined : maxTokens);
    const { head, tail } = cutMiddle(text, chars, boundaries);
    const removedTokens = Math.max(1, total - counter.count(head + tail));
    const result = head + marker(removedTokens) + tail;
    const tokens = counter.count(result);
    if (tokens <= maxTokens) {
      best = {
        text: result,
        isTruncated: true,
        removedChars: text.length - head.length - tail.length,
        removedTokens,
      };
      low = { chars, tokens };
    } else {
      high = { chars, tokens };
    }
  }
  return best;
}

/** The share of a token limit that may stay unused, to save counting. */
const slack = 0.01;

interface Kept {
  chars: number;
  tokens: number;
}

/**
 * Interpolates between two points and stays strictly between them. Returns the midpoint if `tokens`
 * is absent.
 */
function guessBetween(low: Kept, high: Kept, tokens: number | undefined): number {
  const share =
    tokens === undefined ? 0.5 : (tokens - low.tokens) / Math.max(1, high.tokens - low.tokens);
  const guess = Math.floor(low.chars + (high.chars - low.chars) * share);
  return Math.min(high.chars - 1, Math.max(low.chars + 1, guess));
}

/** Number of characters before a cut in which to look for a line end. */
const nearChars = 120;

/** Keeps up to `keptChars`, half of them at each end. */
function cutMiddle(
  text: string,
  keptChars: number,
  boundaries: Boundaries,
): { head: string; tail: string } {
  if (!(keptChars > 0)) return { head: "", tail: "" };
  const headLimit = boundaries.atOrBefore(Math.ceil(keptChars / 2));
  const tailLimit = boundaries.atOrAfter(text.length - Math.floor(keptChars / 2));
  const near = Math.min(nearChars, Math.floor(keptChars / 8));
  const lastBreak = text.slice(Math.max(0, headLimit - near), headLimit).lastIndexOf("\n");
  const firstBreak = text.slice(tailLimit, tailLimit + near).search(/\r?\n/);
  const headEnd = lastBreak < 0 ? headLimit : Math.max(0, headLimit - near) + lastBreak + 1;
  return {
    head: text.slice(0, headEnd),
    tail: text.slice(firstBreak < 0 ? tailLimit : tailLimit + firstBreak),
  };
}

interface Boundaries {
  atOrBefore(index: number): number;
  atOrAfter(index: number): number;
}

/**
 * Finds grapheme boundaries. The segmenter copies the text, so it is created only if a cut is not
 * in plain ASCII.
 */
function createBoundaries(text: string): Boundaries {
  let segments: Intl.Segments | undefined;
  const find = (index: number, isEndWanted: boolean): number => {
    if (index <= 0 || index >= text.length || isPlainBoundary(text, index))
      return Math.min(Math.max(index, 0), text.length);
    segments ??= new Intl.Segmenter("en", { granularity: "grapheme" }).segment(text);
    const grapheme = segments.containing(index);
    if (grapheme === undefined || grapheme.index === index) return index;
    return isEndWanted ? grapheme.index + grapheme.segment.length : grapheme.index;
  };
  return { atOrBefore: (index) => find(index, false), atOrAfter: (index) => find(index, true) };
}

/** True between two ASCII characters, except inside CR LF. */
function isPlainBoundary(text: string, index: number): boolean {
  const before = text.charCodeAt(index - 1);
  const after = text.charCodeAt(index);
  return before < 0x80 && after < 0x80 && !(before === 0x0d && after === 0x0a);
}

function defaultMarker(unit: string): (removed: number) => string {
  return (removed) => `[... ${groupDigits(removed)} ${unit} removed ...]`;
}
