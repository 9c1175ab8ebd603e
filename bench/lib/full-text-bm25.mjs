// The simple approach: ranks whole files by BM25 (names split, path counted 8 times) and pastes them until the budget
// is full.
const SATURATION = 1.2;
const LENGTH_BIAS = 0.75;

const words = (text) =>
  (text.match(/\p{Lu}+(?!\p{Ll})|\p{Lu}?[\p{Ll}\p{Lo}]+|\p{Lu}|\p{N}+/gu) ?? []).map((word) =>
    word.toLowerCase(),
  );

function indexFile(file) {
  const frequencies = new Map();
  const all = words(`${`${file.path} `.repeat(8)}${file.text}`);
  for (const word of all) frequencies.set(word, (frequencies.get(word) ?? 0) + 1);
  return { path: file.path, text: file.text, frequencies, length: all.length };
}

/** Paths in the order of their score, with the texts. */
export function rankFullText(files, task) {
  const indexed = files.map(indexFile);
  const average = indexed.reduce((sum, file) => sum + file.length, 0) / Math.max(1, indexed.length);
  const query = [...new Set(words(task))].map((term) => {
    const holders = indexed.filter((file) => file.frequencies.has(term)).length;
    return { term, rarity: Math.log(1 + (indexed.length - holders + 0.5) / (holders + 0.5)) };
  });
  const score = (file) =>
    query.reduce((sum, { term, rarity }) => {
      const frequency = file.frequencies.get(term) ?? 0;
      const norm = SATURATION * (1 - LENGTH_BIAS + (LENGTH_BIAS * file.length) / average);
      return sum + (rarity * frequency * (SATURATION + 1)) / (frequency + norm);
    }, 0);
  return indexed
    .map((file) => ({ path: file.path, text: file.text, score: score(file) }))
    .sort((a, b) => b.score - a.score || (a.path < b.path ? -1 : 1));
}

/**
 * The paths of the best files whose full texts fit the budget, in rank order. A file that does not fit ends the list.
 */
export function packFullText(ranked, { budget, counter }) {
  const paths = new Set();
  let left = budget;
  for (const file of ranked) {
    left -= counter.count(`${file.path}\n${file.text}\n`);
    if (left < 0) break;
    paths.add(file.path);
  }
  return paths;
}
