import type { TokenCounter } from "../tokens/token-counter.ts";

/**
 * Counts words times 1.3, the rule of thumb for English. For comparison only: text without spaces,
 * such as Chinese or minified JSON, counts as a word or two, so no budget should rely on it.
 */
export const wordCounter: TokenCounter = {
  name: "words-1.3",
  isExact: false,
  count: (text) => (text === "" ? 0 : Math.max(1, Math.ceil(countWords(text) * 1.3))),
};

function countWords(text: string): number {
  let words = 0;
  for (const _ of text.matchAll(/\S+/g)) words++;
  return words;
}
