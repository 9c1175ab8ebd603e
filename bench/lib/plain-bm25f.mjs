// BM25F in a few lines, with its best settings: identifiers split, English stemmed, title and columns weighted
// separately.
import { createRequire } from "node:module";

const requireOfSearch = createRequire(
  new URL("../../packages/search/package.json", import.meta.url),
);
const { stem } = await import(requireOfSearch.resolve("porter2"));

const fields = { title: 3, description: 1, tags: 1, columns: 1 };
const termsOf = (text) =>
  text
    .replace(/(\p{Ll}|\p{N})(\p{Lu})/gu, "$1 $2")
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu)
    ?.map((word) => (/^[a-z]{3,}$/.test(word) ? stem(word) : word)) ?? [];
const textsOf = ({ title, description = "", tags, columns = [] }) => ({
  title,
  description,
  tags: tags.join(" "),
  columns: columns.map(({ name, label = "" }) => `${name} ${label}`).join(" "),
});

/** Ids by score, best first. */
export function plainBm25f(records, { k1 = 1.2, b = 0.75 } = {}) {
  const names = Object.keys(fields);
  const documents = records.map((record) => {
    const texts = textsOf(record);
    return names.map((name) => termsOf(texts[name]));
  });
  const averages = names.map(
    (_, at) => documents.reduce((sum, own) => sum + own[at].length, 0) / documents.length || 1,
  );
  const postings = new Map();
  for (const [slot, own] of documents.entries())
    for (const [at, terms] of own.entries())
      for (const term of terms) {
        const weights = postings.get(term) ?? new Map();
        const norm = 1 - b + (b * terms.length) / averages[at];
        weights.set(slot, (weights.get(slot) ?? 0) + fields[names[at]] / norm);
        postings.set(term, weights);
      }
  return (text, limit) => {
    const scores = new Map();
    for (const term of new Set(termsOf(text))) {
      const weights = postings.get(term) ?? new Map();
      const rarity = Math.log(1 + (records.length - weights.size + 0.5) / (weights.size + 0.5));
      for (const [slot, weight] of weights)
        scores.set(slot, (scores.get(slot) ?? 0) + (rarity * weight) / (k1 + weight));
    }
    const ranked = [...scores].sort((left, right) => right[1] - left[1] || left[0] - right[0]);
    return ranked.slice(0, limit).map(([slot]) => records[slot].id);
  };
}
