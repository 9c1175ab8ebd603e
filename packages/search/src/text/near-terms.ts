/** A term that is spelt similarly to a word in the query. */
interface NearTerm {
  term: string;
  /** 0..1. */
  likeness: number;
}

/** Number of first letters that a near term must share with the word. */
const nearPrefixLength = 4;
const minChars = 5;
const minLikeness = 0.6;

/**
 * Finds the terms that share a prefix with one of the words, grouped by prefix. A single pass over
 * the terms serves all words of a query.
 */
export function termsLike(
  terms: Iterable<string>,
  words: Iterable<string>,
): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  for (const word of words) if (canResemble(word)) found.set(beginningOf(word), []);
  if (found.size > 0) for (const term of terms) found.get(beginningOf(term))?.push(term);
  return found;
}

const beginningOf = (word: string): string => word.slice(0, nearPrefixLength);

/**
 * Returns the terms that share the larger part of the word or differ from it by a single typing
 * error, best first.
 */
export function findNearTerms(terms: ReturnType<typeof termsLike>, word: string): NearTerm[] {
  if (!canResemble(word)) return [];
  const found: NearTerm[] = [];
  for (const term of terms.get(beginningOf(word)) ?? []) {
    if (!canResemble(term)) continue;
    const likeness = likenessOf(word, term);
    if (likeness >= minLikeness && likeness < 1) found.push({ term, likeness });
  }
  found.sort((left, right) => right.likeness - left.likeness || (left.term < right.term ? -1 : 1));
  return found;
}

function canResemble(term: string): boolean {
  return term.length >= minChars && /^[a-zа-я]+$/.test(term);
}

/**
 * Returns the share of the longer word that is a common prefix, or that matches if one typing error
 * is forgiven.
 */
function likenessOf(left: string, right: string): number {
  const longer = Math.max(left.length, right.length);
  const shorter = Math.min(left.length, right.length);
  let start = 0;
  while (start < shorter && left[start] === right[start]) start += 1;
  if (start === longer) return 1;
  if (isTypingError(left, right, start)) return 1 - 1 / longer;
  // Stemming cuts off suffixes, so a mistyped word may be longer than the intended one.
  const isBeginning = isTypingError(left.slice(0, shorter), right.slice(0, shorter), start);
  return Math.max(start, isBeginning ? shorter - 1 : 0) / longer;
}

/** True if the words differ at `start` by one inserted, missing or different letter, or by two swapped letters. */
function isTypingError(left: string, right: string, start: number): boolean {
  const leftTail = left.slice(start);
  const rightTail = right.slice(start);
  if (
    leftTail.slice(1) === rightTail.slice(1) ||
    leftTail.slice(1) === rightTail ||
    leftTail === rightTail.slice(1)
  )
    return true;
  return (
    leftTail.slice(2) === rightTail.slice(2) &&
    leftTail[0] === rightTail[1] &&
    leftTail[1] === rightTail[0]
  );
}
