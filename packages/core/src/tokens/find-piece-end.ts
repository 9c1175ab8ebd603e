import {
  classAt,
  findRunEnd,
  LETTER,
  LOWER,
  NEWLINE,
  NUMBER,
  SPACE,
  SYMBOL,
  UPPER,
  widthAt,
} from "./character-classes.ts";

/**
 * Finds the end of the piece that starts at `start`, by the split pattern of o200k_base: a word
 * with up to one character before it and a contraction after it, up to three digits, a run of
 * symbols, or white space. This scanner is several times faster than the pattern, and no input
 * makes it backtrack.
 */
export function findPieceEnd(text: string, start: number): number {
  const first = classAt(text, start);
  if (first & NUMBER) return findNumberEnd(text, start);
  if (!(first & NEWLINE)) {
    const wordStart = first & LETTER ? start : start + widthAt(text, start);
    const wordEnd = findWordEnd(text, wordStart);
    if (wordEnd > wordStart) return wordEnd + contractionLength(text, wordEnd);
  }
  const symbolStart = text.charCodeAt(start) === 0x20 ? start + 1 : start;
  let end = findRunEnd(text, symbolStart, SYMBOL);
  if (end === symbolStart) return findSpaceEnd(text, start);
  while (classAt(text, end) & NEWLINE || text.charCodeAt(end) === 0x2f) end++;
  return end;
}

/**
 * Finds the end of `[upper]*[lower]+`, or else of `[upper]+`. Letters without case belong to both
 * classes.
 */
function findWordEnd(text: string, start: number): number {
  let end = start;
  let caselessEnd = start;
  for (let bits = classAt(text, end); bits & UPPER; bits = classAt(text, end)) {
    end++;
    if (bits & LOWER) caselessEnd = end;
  }
  const lowerEnd = findRunEnd(text, end, LOWER);
  if (lowerEnd > end) return lowerEnd;
  return caselessEnd > start ? caselessEnd : end;
}

/** Finds the end of up to three digits, by code point. */
export function findNumberEnd(text: string, start: number): number {
  let end = start;
  for (let digits = 0; digits < 3 && classAt(text, end) & NUMBER; digits++)
    end += widthAt(text, end);
  return end;
}

/**
 * Finds the end of white space up to its last newline. Without a newline, the last character
 * belongs to the next piece.
 */
export function findSpaceEnd(text: string, start: number): number {
  const end = findRunEnd(text, start, SPACE);
  for (let last = end; last > start; last--) {
    if (classAt(text, last - 1) & NEWLINE) return last;
  }
  return end === text.length || end === start + 1 ? end : end - 1;
}

/** Returns the length of a contraction such as 's or 'LL at `index`, otherwise 0. */
export function contractionLength(text: string, index: number): number {
  if (text.charCodeAt(index) !== 0x27) return 0;
  if (/^[sdmt]/i.test(text.charAt(index + 1))) return 2;
  return /^(?:ll|ve|re)$/i.test(text.slice(index + 1, index + 3)) ? 3 : 0;
}
