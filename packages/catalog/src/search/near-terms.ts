/** A term of the vocabulary that is written much like a word that nothing has. */
export interface NearTerm {
  id: number;
  /** 0..1. */
  likeness: number;
}

/** Terms by their first letters; only terms of letters that are long enough to resemble each other. */
export type TermBuckets = Map<string, number[]>;

const bucketLength = 4;
const shortest = 5;
const leastLikeness = 0.6;
const mostFound = 8;

/** Notes a new term. */
export function addToBuckets(buckets: TermBuckets, term: string, id: number): void {
  if (!canResemble(term)) return;
  const key = term.slice(0, bucketLength);
  const bucket = buckets.get(key);
  if (bucket === undefined) buckets.set(key, [id]);
  else bucket.push(id);
}

/** Terms that share most of their beginning with the word, or differ from it by one typing error; best first. */
export function findNearTerms(
  buckets: TermBuckets,
  terms: readonly string[],
  word: string,
): NearTerm[] {
  if (!canResemble(word)) return [];
  const found: NearTerm[] = [];
  for (const id of buckets.get(word.slice(0, bucketLength)) ?? []) {
    const likeness = likenessOf(word, terms[id] ?? "");
    if (likeness >= leastLikeness && likeness < 1) found.push({ id, likeness });
  }
  found.sort(
    (left, right) =>
      right.likeness - left.likeness || ((terms[left.id] ?? "") < (terms[right.id] ?? "") ? -1 : 1),
  );
  return found.slice(0, mostFound);
}

function canResemble(term: string): boolean {
  return term.length >= shortest && /^[a-zа-я]+$/.test(term);
}

/** Share of the longer word that both begin with, or that is left when one typing error is forgiven. */
function likenessOf(left: string, right: string): number {
  const longer = Math.max(left.length, right.length);
  const shorter = Math.min(left.length, right.length);
  let start = 0;
  while (start < shorter && left[start] === right[start]) start += 1;
  if (start === longer) return 1;
  if (isTypingError(left, right, start)) return 1 - 1 / longer;
  // Stems end where suffixes were cut off, so that a mistyped word may be longer than what it means.
  const isBeginning = isTypingError(left.slice(0, shorter), right.slice(0, shorter), start);
  return Math.max(start, isBeginning ? shorter - 1 : 0) / longer;
}

/** True where words that part at `start` differ by one letter more, fewer or other, or by two that changed places. */
function isTypingError(left: string, right: string, start: number): boolean {
  const one = left.slice(start);
  const other = right.slice(start);
  if (one.slice(1) === other.slice(1) || one.slice(1) === other || one === other.slice(1))
    return true;
  return one.slice(2) === other.slice(2) && one[0] === other[1] && one[1] === other[0];
}
