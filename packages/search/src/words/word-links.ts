import { splitWords } from "./split-words.ts";
import { stemWord } from "./stem-word.ts";
import { abbreviations, relatedWords, translations } from "./word-groups.ts";

/** Terms that may replace a word, with their weights. */
export interface WordLink {
  terms: string[];
  weight: number;
  isHint?: boolean | undefined;
}

/** Links by term, and phrases that have links. */
export interface WordLinks {
  linksOf(term: string): readonly WordLink[];
  /**
   * Finds phrases in the stems. Maps the index of each word in a phrase to the terms that may
   * replace the phrase.
   */
  findPhrases(stems: readonly string[]): Map<number, WordLink[]>;
}

interface Phrase {
  terms: string[];
  links: WordLink[];
}

const abbreviationWeight = 0.5;
const relatedWeight = 0.3;
const translationWeight = 0.8;
const glossaryWeight = 1;
const longestGlossaryPhrase = 16;

type Strength = Omit<WordLink, "terms">;

let builtIn: Map<string, WordLink[]> | undefined;

/** Creates links for the user's glossary, then for the built-in word groups. */
export function createWordLinks(glossary: readonly (readonly string[])[]): WordLinks {
  const known = (builtIn ??= createBuiltInLinks());
  const words = new Map<string, WordLink[]>();
  const phrases = new Map<string, Phrase[]>();
  for (const group of glossary) {
    const sides = group.map(stemsOf).filter((terms) => terms.length > 0);
    for (const side of sides) {
      const links = sides
        .filter((other) => other !== side)
        .map((terms) => ({ terms, weight: glossaryWeight }));
      addSide({ words, phrases }, side, links);
    }
  }
  return {
    linksOf: (term) => [...(words.get(term) ?? []), ...(known.get(term) ?? [])],
    findPhrases: (stems) => findPhrases(phrases, stems),
  };
}

function addSide(
  { words, phrases }: { words: Map<string, WordLink[]>; phrases: Map<string, Phrase[]> },
  side: string[],
  links: WordLink[],
): void {
  const first = side[0] ?? "";
  if (side.length === 1) words.set(first, [...(words.get(first) ?? []), ...links]);
  else phrases.set(first, [...(phrases.get(first) ?? []), { terms: side, links }]);
}

function stemsOf(text: string): string[] {
  return splitWords(text, longestGlossaryPhrase).flatMap(({ parts }) => parts.map(stemWord));
}

function findPhrases(
  phrases: ReadonlyMap<string, readonly Phrase[]>,
  stems: readonly string[],
): Map<number, WordLink[]> {
  const found = new Map<number, WordLink[]>();
  if (phrases.size === 0) return found;
  stems.forEach((stem, start) => {
    for (const { terms, links } of phrases.get(stem) ?? []) {
      if (terms.some((term, at) => stems[start + at] !== term)) continue;
      for (let at = start; at < start + terms.length; at += 1)
        found.set(at, [...(found.get(at) ?? []), ...links]);
    }
  });
  return found;
}

function createBuiltInLinks(): Map<string, WordLink[]> {
  const byStem = new Map<string, WordLink[]>();
  const addLink = (from: string, to: string, strength: Strength): void => {
    const links = byStem.get(from) ?? [];
    byStem.set(from, links);
    if (to !== from && !links.some(({ terms }) => terms[0] === to))
      links.push({ terms: [to], ...strength });
  };
  const groups: [readonly (readonly string[])[], Strength][] = [
    [translations, { weight: translationWeight }],
    [abbreviations, { weight: abbreviationWeight }],
    [relatedWords, { weight: relatedWeight, isHint: true }],
  ];
  for (const [words, strength] of groups) {
    for (const [head = "", ...others] of words.map((group) => group.map(stemWord))) {
      for (const other of others) {
        addLink(head, other, strength);
        addLink(other, head, strength);
      }
    }
  }
  return byStem;
}
