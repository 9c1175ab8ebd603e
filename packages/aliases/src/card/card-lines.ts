import { redactSecrets } from "@ccl/core";

/** Maximum lines of a card. */
export const maxCardLines = 10;
/**
 * Maximum UTF-16 units of a card line, including its bullet. This also limits code points and
 * graphemes.
 */
const maxCardLineLength = 100;
/** Maximum UTF-16 units after the bullet. */
export const maxCardTextLength: number = maxCardLineLength - "- ".length;

/** Maximum UTF-16 units to clean. Anything beyond them is not shown. */
const maxReadLength = 4_000;
const cutMark = "...";

/** Loaded lazily, because loading takes 20 ms and plain ASCII does not need it. */
let graphemes: Intl.Segmenter | undefined;
const plainText = /^[\x20-\x7e]*$/;

/** Control characters, lone surrogates, line separators, and characters that hide or reorder text. */
const unsafeCharacters =
  /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]+/gu;
const quoteCharacters = /["`«»“”„‟]|(?<![\p{L}\p{N}])['‘’]|['‘’](?![\p{L}\p{N}])/gu;

/**
 * Returns the part of a file that card readers look at: the first 50,000 lines, each cut to 2,000
 * UTF-16 units.
 */
export function leadingLines(text: string): string[] {
  return text.split("\n", 50_000).map((line) => line.slice(0, 2_000));
}

/** Returns text as one line, without control characters, repeated spaces, or characters that hide or reorder text. */
export function cleanLine(text: string): string {
  return text.slice(0, maxReadLength).replace(unsafeCharacters, " ").replace(/\s+/gu, " ").trim();
}

/** Cleans a card item: masks secrets, joins lines, and removes quotation marks. */
export function cleanItem(text: string): string {
  return cleanLine(redactSecrets(text.slice(0, maxReadLength)).text)
    .replace(quoteCharacters, "")
    .replace(/\s+/gu, " ")
    .trim();
}

/**
 * Truncates a string to `maxLength` UTF-16 units, ending in `...`. Prefers to cut at a nearby word
 * boundary, and never cuts inside a grapheme.
 */
export function cutText(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  const limit = maxLength - cutMark.length;
  const end = lastBoundary(text.slice(0, maxLength), limit);
  const head = text.slice(0, end);
  const space = head.lastIndexOf(" ");
  return (space > end - 20 && space > 0 ? head.slice(0, space) : head).trimEnd() + cutMark;
}

function lastBoundary(text: string, limit: number): number {
  if (plainText.test(text)) return limit;
  graphemes ??= new Intl.Segmenter("en", { granularity: "grapheme" });
  let end = 0;
  for (const { index } of graphemes.segment(text)) if (index <= limit) end = index;
  return end;
}

/** Formats the lines of a card: adds bullets, cleans and cuts each line, and drops lines beyond the limit. */
export function finishLines(lines: readonly string[]): string[] {
  const cleaned = lines.map(cleanItem).filter((line) => line !== "");
  const isOver = cleaned.length > maxCardLines;
  const shown = isOver
    ? [...cleaned.slice(0, maxCardLines - 1), `+${cleaned.length - maxCardLines + 1} more`]
    : cleaned;
  return shown.map((line) => `- ${cutText(line, maxCardTextLength)}`);
}
