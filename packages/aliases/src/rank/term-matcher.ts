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
  /** The same counts from `countWords` of the text. */
  countBag(bag: string): TermCounts;
}

const OTHER = 0;
const LOWER = 1;
const UPPER = 2;
const DIGIT = 3;
const JOINER = 4;

const UNKNOWN = 255;
const classes = new Uint8Array(1 << 16).fill(UNKNOWN);

/** The class of a UTF-16 code unit. Letters without case, and halves of surrogate pairs, count as lower case. */
function classOf(code: number): number {
  const known = classes[code] ?? OTHER;
  return known === UNKNOWN ? (classes[code] = findClass(String.fromCharCode(code))) : known;
}

function findClass(character: string): number {
  if (/\p{Lu}/u.test(character)) return UPPER;
  if (/[\p{L}\p{M}\p{Cs}]/u.test(character)) return LOWER;
  if (/\p{N}/u.test(character)) return DIGIT;
  return /[_$-]/.test(character) ? JOINER : OTHER;
}

/** No query term is longer than this; a longer word of a text is a key or a hash. */
const MAX_WORD_CHARS = 64;
/** Identifiers of more words than this are seldom meant as a whole. */
const MAX_COMPOUND_WORDS = 5;

// The lower five bits of an ASCII letter are the same in both cases.
const prefixOf = (first: number, second: number): number => ((first & 31) << 5) | (second & 31);

/** Builds a matcher for terms as `queryTerms` gives them. */
export function createTermMatcher(terms: string[]): TermMatcher {
  const positions = new Map(terms.map((term, position) => [term, position]));
  // Most words of a text share no two first letters with any term: a table look-up spares them the slicing.
  const prefixes = new Uint8Array(1 << 10);
  for (const term of terms)
    prefixes[prefixOf(term.charCodeAt(0), term.length > 1 ? term.charCodeAt(1) : 0)] = 1;

  const mayMatch = (text: string, start: number, end: number): boolean => {
    const first = text.charCodeAt(start);
    const second = end - start > 1 ? text.charCodeAt(start + 1) : 0;
    return first > 0x7f || second > 0x7f || prefixes[prefixOf(first, second)] === 1;
  };

  const count = (text: string): TermCounts => {
    const counts = new Uint32Array(terms.length);
    let words = 0;
    forEachWord(text, (start, end, isCompound) => {
      if (!isCompound) words++;
      if (end - start > MAX_WORD_CHARS || !mayMatch(text, start, end)) return;
      const position = positions.get(termOf(text.slice(start, end), isCompound));
      if (position !== undefined) counts[position] = (counts[position] ?? 0) + 1;
    });
    return { counts, words };
  };
  const countBag = (bag: string): TermCounts => {
    const counts = Uint32Array.from(terms, (term) => {
      const start = bag.indexOf(` ${term}:`);
      return start < 0
        ? 0
        : Number.parseInt(bag.slice(start + term.length + 2, start + term.length + 12), 10);
    });
    return { counts, words: Number.parseInt(bag, 10) };
  };
  return { terms, count, countBag };
}

/** A text as its number of words and how often each term occurs: `12 cach:3 ratelimit:1`. */
export function countWords(text: string): string {
  const counts = new Map<string, number>();
  let words = 0;
  forEachWord(text, (start, end, isCompound) => {
    if (!isCompound) words++;
    if (end - start > MAX_WORD_CHARS) return;
    const term = termOf(text.slice(start, end), isCompound);
    counts.set(term, (counts.get(term) ?? 0) + 1);
  });
  return [`${words}`, ...[...counts].map(([term, count]) => `${term}:${count}`)].join(" ");
}

const termOfWord = new Map<string, string>();

function termOf(word: string, isCompound: boolean): string {
  const key = isCompound ? `${word}.` : word;
  const known = termOfWord.get(key);
  if (known !== undefined) return known;
  const lower = word.toLowerCase();
  const term = isCompound ? lower.replace(/[_$-]/g, "") : stemWord(lower);
  if (termOfWord.size < MAX_KNOWN_WORDS) termOfWord.set(key, term);
  return term;
}

/** Words come again and again; the bound holds for texts in which they do not. */
const MAX_KNOWN_WORDS = 100_000;

type Visit = (start: number, end: number, isCompound: boolean) => void;

/** Visits each word, and each identifier of several words once more as a whole. */
function forEachWord(text: string, visit: Visit): void {
  let index = 0;
  while (index < text.length) {
    if (classOf(text.charCodeAt(index)) === OTHER) index++;
    else index = visitIdentifier(text, index, visit);
  }
}

/** Visits the words of the identifier that starts here and gives its end. */
function visitIdentifier(text: string, identifierStart: number, visit: Visit): number {
  let wordStart = identifierStart;
  let words = 0;
  let previous = classOf(text.charCodeAt(identifierStart));
  let index = identifierStart;
  while (previous !== OTHER) {
    index++;
    const current = index < text.length ? classOf(text.charCodeAt(index)) : OTHER;
    // In `JSONValue` the last capital belongs to the word that follows; in `Value` there is no border.
    const end = previous === UPPER && current === LOWER ? index - 1 : index;
    if (current !== previous && end > wordStart) {
      if (previous !== JOINER) {
        visit(wordStart, end, false);
        words++;
      }
      wordStart = end;
    }
    previous = current;
  }
  if (words > 1 && words <= MAX_COMPOUND_WORDS) visit(identifierStart, index, true);
  return index;
}
