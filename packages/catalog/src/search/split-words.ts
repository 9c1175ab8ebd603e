import { characterClass } from "./character-class.ts";

/** A word as it was written, in lower case, and the parts of an identifier: `userID2` is `user`, `id`, `2`. */
export interface SplitWord {
  /** The beginning of the word with its case, for messages. */
  written: string;
  /** Parts joined; at most 64 characters. */
  whole: string;
  /** At least one, each at most 64 characters. */
  parts: string[];
}

const longestPart = 64;
const underscore = 95;
const apostrophes = new Set([39, 0x2019, 0x02bc]);

/**
 * Words of a text in order: split at all that is no letter, mark or digit, at changes of case and between letters and
 * digits. Scripts without spaces give pairs of characters. Accents on Latin letters are dropped, Russian `ё` is `е`.
 * Linear in the text, which is cut after `maxParts` parts.
 */
export function splitWords(text: string, maxParts: number): SplitWord[] {
  const folded = foldText(text);
  const words: SplitWord[] = [];
  let parts: string[] = [];
  let start = -1;
  let wordStart = 0;
  let count = 0;
  let previous = 0;
  const endPart = (end: number): void => {
    if (start >= 0) pushPart(parts, folded.slice(start, end), previous);
    start = -1;
  };
  const endWord = (end: number): void => {
    const written = folded.slice(wordStart, Math.min(end, wordStart + longestPart));
    if (parts.length > 0) words.push({ written, whole: wholeOf(parts), parts });
    count += parts.length;
    parts = [];
  };
  let at = 0;
  while (at < folded.length && count + parts.length < maxParts) {
    const code = folded.codePointAt(at) ?? 0;
    const width = code > 0xffff ? 2 : 1;
    const current = characterClass(code);
    if (current === 0) {
      endPart(at);
      // An underscore joins the parts of one identifier; an apostrophe ends a word and drops an English possessive.
      if (code !== underscore) endWord(at);
      if (apostrophes.has(code) && isPossessive(folded, at)) at += 1;
    } else if (previous === 0 || start < 0) {
      start = at;
      if (parts.length === 0) wordStart = at;
    } else if (isBoundary(folded, at, { previous, current })) {
      endPart(at);
      if (current === 4 || previous === 4) endWord(at);
      if (parts.length === 0) wordStart = at;
      start = at;
    }
    previous = current;
    at += width;
  }
  endPart(at);
  endWord(at);
  return words;
}

function foldText(text: string): string {
  // oxlint-disable-next-line no-control-regex
  if (/^[\u0000-\u007f]*$/.test(text)) return text;
  return text
    .normalize("NFKD")
    .replaceAll(/(\p{Script=Latin})\p{M}+/gu, "$1")
    .normalize("NFKC")
    .replaceAll("ё", "е")
    .replaceAll("Ё", "Е");
}

function isPossessive(text: string, at: number): boolean {
  const next = text.charCodeAt(at + 1);
  return (next === 115 || next === 83) && characterClass(text.codePointAt(at + 2) ?? 0) === 0;
}

function isBoundary(
  text: string,
  at: number,
  change: { previous: number; current: number },
): boolean {
  const { previous, current } = change;
  if (current !== previous) return !(previous === 1 && current === 2);
  if (current !== 1) return false;
  // Within capitals, the last one before small letters opens the next part: `HTMLDocument`, but not `URLs`.
  return characterClass(text.codePointAt(at + 1) ?? 0) === 2 && !isFinalSmallS(text, at + 1);
}

function isFinalSmallS(text: string, at: number): boolean {
  return text.charCodeAt(at) === 115 && characterClass(text.codePointAt(at + 1) ?? 0) !== 2;
}

function pushPart(parts: string[], text: string, kind: number): void {
  if (kind !== 4) {
    parts.push(text.slice(0, longestPart).toLowerCase());
    return;
  }
  const characters = [...text];
  if (characters.length === 1) parts.push(text);
  for (let at = 0; at + 1 < characters.length; at += 1)
    parts.push(`${characters[at]}${characters[at + 1]}`);
}

function wholeOf(parts: readonly string[]): string {
  if (parts.length === 1) return parts[0] ?? "";
  let whole = "";
  for (const part of parts) {
    whole += part;
    if (whole.length >= longestPart) return whole.slice(0, longestPart);
  }
  return whole;
}
