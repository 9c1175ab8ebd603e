const SHOWN = 6;
const MAX_WANTED = 40;
const MAX_COMPARED = 4;

/**
 * Finds the part of a file that matches the wanted lines best, and numbers its lines for an error message. Empty if
 * none match.
 */
export function nearestLines(file: readonly string[], wanted: readonly string[]): string {
  const places = new Map<string, number[]>();
  for (const [index, line] of file.entries()) {
    const key = line.trim();
    const known = places.get(key);
    if (known === undefined) places.set(key, [index]);
    else if (known.length < MAX_WANTED) known.push(index);
  }
  const votes = new Map<number, number>();
  for (const [offset, line] of wanted.slice(0, MAX_WANTED).entries()) {
    if (line.trim() === "") continue;
    for (const at of places.get(line.trim()) ?? [])
      votes.set(at - offset, (votes.get(at - offset) ?? 0) + 1);
  }
  let best: number | undefined;
  for (const [start, count] of votes)
    if (best === undefined || count > (votes.get(best) ?? 0)) best = start;
  best ??= lineSharingWords(file, wanted);
  if (best === undefined) return "";
  const from = Math.max(0, best);
  return file
    .slice(from, from + SHOWN)
    .map((line, index) => `${from + index + 1} | ${line.slice(0, 160)}`)
    .join("\n");
}

/** If no line matches: finds the line that shares the largest part of its words. Used only for messages. */
function lineSharingWords(file: readonly string[], wanted: readonly string[]): number | undefined {
  let best: { at: number; share: number } | undefined;
  for (const [offset, line] of wanted.slice(0, MAX_COMPARED).entries()) {
    const words = new Set(wordsOf(line));
    for (const [index, other] of file.entries()) {
      const shared = new Set(wordsOf(other).filter((word) => words.has(word))).size;
      const share = shared / Math.max(2, words.size);
      if (share >= 0.5 && share > (best?.share ?? 0)) best = { at: index - offset, share };
    }
  }
  return best?.at;
}

function wordsOf(line: string): string[] {
  return line.slice(0, 400).match(/[\p{L}\p{N}_]+/gu) ?? [];
}
