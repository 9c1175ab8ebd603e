import { stemWord } from "./query-terms.ts";

/** How often each term of a query occurs in a text, and how many words the text has. */
export interface TermCounts {
  /** By position of the term in the query. */
  counts: Uint32Array;
  words: number;
}

/** Counts the terms of one query in many texts, in one pass a text. */
export interface TermMatcher {
  terms: string[];
  count(text: string): TermCounts;
}

const LOWER = 1;
const UPPER = 2;
const DIGIT = 3;
const JOINER = 4;
const OTHER = 0;

const CLASSES = new Uint8Array(128);
for (let code = 0x30; code <= 0x39; code++) CLASSES[code] = DIGIT;
for (let code = 0x41; code <= 0x5a; code++) CLASSES[code] = UPPER;
for (let code = 0x61; code <= 0x7a; code++) CLASSES[code] = LOWER;
CLASSES[0x5f] = JOINER;
CLASSES[0x24] = JOINER;
CLASSES[0x2d] = JOINER;

function classOf(code: number): number {
  if (code < 128) return CLASSES[code] ?? OTHER;
  // Letters of other scripts count as lower case; general and CJK punctuation do not.
  if (code < 0xc0 || (code >= 0x2000 && code < 0x2070) || (code >= 0x3000 && code < 0x3040)) return OTHER;
  return code >= 0x410 && code < 0x430 ? UPPER : LOWER;
}

/** No query term is longer than this; a longer word of a text is a key or a hash. */
const MAX_WORD_CHARS = 64;

const prefixOf = (first: number, second: number): number => ((first & 0x7f) << 7) | (second & 0x7f);

/** Builds a matcher for terms as `queryTerms` gives them. */
export function createTermMatcher(terms: string[]): TermMatcher {
  const positions = new Map(terms.map((term, position) => [term, position]));
  // Most words of a text share no two first letters with any term: two table look-ups spare them the slicing.
  const prefixes = new Uint8Array(1 << 14);
  for (const term of terms) prefixes[prefixOf(term.charCodeAt(0), term.length > 1 ? term.charCodeAt(1) : 0)] = 1;

  const mayMatch = (text: string, start: number, end: number): boolean => {
    const second = end - start > 1 ? text.charCodeAt(start + 1) : 0;
    return prefixes[prefixOf(lowerCode(text.charCodeAt(start)), lowerCode(second))] === 1;
  };

  const count = (text: string): TermCounts => {
    const counts = new Uint32Array(terms.length);
    let words = 0;
    const put = (word: string): void => {
      const position = positions.get(word);
      if (position !== undefined) counts[position] = (counts[position] ?? 0) + 1;
    };
    forEachWord(text, (start, end, isCompound) => {
      if (!isCompound) words++;
      if (end - start > MAX_WORD_CHARS || !mayMatch(text, start, end)) return;
      const word = text.slice(start, end).toLowerCase();
      put(isCompound ? word.replace(/[_$-]/g, "") : stemWord(word));
    });
    return { counts, words };
  };
  return { terms, count };
}

const lowerCode = (code: number): number =>
  (code >= 0x41 && code <= 0x5a) || (code >= 0x410 && code < 0x430) ? code + 0x20 : code;

/** Visits each word, and each identifier of several words once more as a whole. */
function forEachWord(text: string, visit: (start: number, end: number, isCompound: boolean) => void): void {
  const length = text.length;
  let index = 0;
  while (index < length) {
    if (classOf(text.charCodeAt(index)) === OTHER) {
      index++;
      continue;
    }
    const identifierStart = index;
    let parts = 0;
    let wordStart = index;
    let previous = OTHER;
    for (; ; index++) {
      const current = index < length ? classOf(text.charCodeAt(index)) : OTHER;
      const isBorder =
        current !== previous &&
        !(previous === UPPER && current === LOWER && index - wordStart === 1) &&
        index > wordStart;
      if (isBorder) {
        // In `JSONValue` the last capital belongs to the word that follows.
        const isAcronym = previous === UPPER && current === LOWER;
        const end = isAcronym ? index - 1 : index;
        if (previous !== JOINER) {
          visit(wordStart, end, false);
          parts++;
        }
        wordStart = end;
      }
      if (current === OTHER) break;
      previous = current;
    }
    if (parts > 1 && parts < 6) visit(identifierStart, index, true);
  }
}
