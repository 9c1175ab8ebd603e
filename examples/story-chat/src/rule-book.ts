import type { BuiltinOperationsOptions } from "@ccl/operations";

const rules = [
  {
    title: "Wolves",
    source: "bestiary",
    text: "A cornered wolf attacks first and flees at half its strength. Bright light frightens it.",
  },
  {
    title: "Drawing a weapon",
    source: "combat",
    text: "Drawing a sword and attacking in one breath gives the enemy the first blow, unless it is surprised.",
  },
  {
    title: "Wounds",
    source: "combat",
    text: "A bite costs three points of health. At zero the hero falls, and the story goes on without a fight.",
  },
  { title: "Boats", source: "travel", text: "A boat carries two and needs an oar." },
];

/** Finds rules that share words with the query, those with the most words first. */
export const ruleBook: NonNullable<BuiltinOperationsOptions["retriever"]> = {
  async retrieve(query, { topK }) {
    const wanted = new Set(wordsOf(query));
    const scored = rules.map((rule) => ({
      ...rule,
      score: wordsOf(`${rule.title} ${rule.text}`).filter((word) => wanted.has(word)).length,
    }));
    const found = scored
      .filter(({ score }) => score > 0)
      .sort((left, right) => right.score - left.score);
    return found.slice(0, topK);
  },
};

function wordsOf(text: string): string[] {
  const words = text.toLowerCase().match(/[a-z]{4,}/g) ?? [];
  return [...new Set(words.map((word) => word.replace(/(s|ing)$/, "")))];
}
