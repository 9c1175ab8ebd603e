import {
  classAt,
  findRunEnd,
  LETTER,
  NEWLINE,
  NUMBER,
  SPACE,
  SYMBOL,
  widthAt,
} from "../tokens/character-classes.ts";
import { contractionLength, findNumberEnd, findSpaceEnd } from "../tokens/find-piece-end.ts";

/**
 * Finds the end of the piece that starts at `start`, by the split pattern of cl100k_base. In this
 * pattern, case does not split words.
 */
export function findCl100kPieceEnd(text: string, start: number): number {
  const first = classAt(text, start);
  if (first & NUMBER) return findNumberEnd(text, start);
  const contraction = contractionLength(text, start);
  if (contraction > 0) return start + contraction;
  if (!(first & NEWLINE)) {
    const wordStart = isLetter(first) ? start : start + widthAt(text, start);
    const wordEnd = findLettersEnd(text, wordStart);
    if (wordEnd > wordStart) return wordEnd;
  }
  const symbolStart = text.charCodeAt(start) === 0x20 ? start + 1 : start;
  const symbolEnd = findRunEnd(text, symbolStart, SYMBOL);
  if (symbolEnd > symbolStart) return findRunEnd(text, symbolEnd, NEWLINE);
  const spaceEnd = findRunEnd(text, start, SPACE);
  return spaceEnd === text.length ? spaceEnd : findSpaceEnd(text, start);
}

function findLettersEnd(text: string, start: number): number {
  let end = start;
  while (isLetter(classAt(text, end))) end++;
  return end;
}

function isLetter(bits: number): boolean {
  return (bits & LETTER) !== 0 && !(bits & SYMBOL);
}
