const SHOWN = 6;
/** Wanted lines that are compared with each line of the file. */
const MAX_COMPARED = 12;
const MIN_SHARE = 0.5;

/**
 * Finds the part of a file that shares more words with the wanted lines than any other, and numbers its lines for an
 * error message. Empty if no line shares half of a wanted line's words.
 */
export function nearestLines(file: readonly string[], wanted: readonly string[]): string {
  const words = file.map(wordsOf);
  const shares = new Map<number, number>();
  for (const [offset, line] of wanted.slice(0, MAX_COMPARED).entries()) {
    const own = wordsOf(line);
    for (const [index, other] of words.entries()) {
      const shared = [...own].filter((word) => other.has(word)).length;
      const share = shared / Math.max(2, own.size);
      if (share >= MIN_SHARE) shares.set(index - offset, (shares.get(index - offset) ?? 0) + share);
    }
  }
  const [best] = [...shares].toSorted(([, a], [, b]) => b - a);
  if (best === undefined) return "";
  const from = Math.max(0, best[0]);
  return file
    .slice(from, from + SHOWN)
    .map((line, index) => `${from + index + 1} | ${line.slice(0, 160)}`)
    .join("\n");
}

function wordsOf(line: string): ReadonlySet<string> {
  return new Set(line.slice(0, 400).match(/[\p{L}\p{N}_]+/gu));
}
