import { redactSecrets } from "@ccl/core";

/** Maximum lines of a card. */
export const maxCardLines = 10;
/** Maximum UTF-16 units of a card's line, the bullet included; so it has at most as many code points and graphemes. */
const maxCardLineLength = 100;
/** Maximum UTF-16 units after the bullet. */
export const maxCardTextLength: number = maxCardLineLength - "- ".length;

/** What is shown never lies beyond this, so longer runs are not even cleaned. */
const maxReadLength = 4_000;
const cutMark = "...";

/** Takes 20 ms to make, and plain ASCII does not need it. */
let graphemes: Intl.Segmenter | undefined;
const plainText = /^[\x20-\x7e]*$/;

/** Controls, lone surrogates, line separators, and characters that hide or reorder text. */
const unsafeCharacters =
  /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]+/gu;
const quoteCharacters = /["`«»“”„‟]|(?<![\p{L}\p{N}])['‘’]|['‘’](?![\p{L}\p{N}])/gu;

/** The lines that the readers of cards look at: the first 50,000, each to its 2,000th UTF-16 unit. */
export function leadingLines(text: string): string[] {
  return text.split("\n", 50_000).map((line) => line.slice(0, 2_000));
}

/** One line without controls, runs of space, and characters that hide or reorder text. */
export function cleanLine(text: string): string {
  return text.slice(0, maxReadLength).replace(unsafeCharacters, " ").replace(/\s+/gu, " ").trim();
}

/** The form of everything that a card shows: secrets masked, one line, no quotation marks. */
export function cleanItem(text: string): string {
  return cleanLine(redactSecrets(text.slice(0, maxReadLength)).text)
    .replace(quoteCharacters, "")
    .replace(/\s+/gu, " ")
    .trim();
}

/** The text, or its head and `...`, in at most `maxLength` UTF-16 units; cut between words where one is near, never inside a grapheme. */
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

/** Makes the lines of a card: bullets, cleaned, cut, and no more of them than a card has. */
export function finishLines(lines: readonly string[]): string[] {
  const cleaned = lines.map(cleanItem).filter((line) => line !== "");
  const isOver = cleaned.length > maxCardLines;
  const shown = isOver
    ? [...cleaned.slice(0, maxCardLines - 1), `+${cleaned.length - maxCardLines + 1} more`]
    : cleaned;
  return shown.map((line) => `- ${cutText(line, maxCardTextLength)}`);
}
