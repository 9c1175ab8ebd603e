import { splitWords } from "./split-words.ts";
import { stemWord } from "./stem-word.ts";
import { abbreviations, relatedWords, translations } from "./word-groups.ts";

/** Terms that may stand for a word, and how far. */
export interface WordLink {
  terms: string[];
  weight: number;
  isHint?: boolean;
}

/** Links by term, and phrases that have some. */
export interface WordLinks {
  linksOf(term: string): readonly WordLink[];
  /** For each word of a phrase that occurs in the stems, by its place, what may stand for the phrase. */
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

let builtIn: Map<string, WordLink[]> | undefined;

/** The built-in word groups with the user's glossary before them. */
export function createWordLinks(glossary: readonly (readonly string[])[]): WordLinks {
  const known = (builtIn ??= builtInLinks());
  const words = new Map<string, WordLink[]>();
  const phrases = new Map<string, Phrase[]>();
  for (const group of glossary) {
    const sides = group.map(stemsOf).filter((terms) => terms.length > 0);
    for (const side of sides) {
      const links = sides.filter((other) => other !== side).map((terms) => ({ terms, weight: glossaryWeight }));
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
      for (let at = start; at < start + terms.length; at += 1) found.set(at, [...(found.get(at) ?? []), ...links]);
    }
  });
  return found;
}

function builtInLinks(): Map<string, WordLink[]> {
  const links = new Map<string, WordLink[]>();
  const link = (from: string, to: string, strength: Omit<WordLink, "terms">): void => {
    const term = stemWord(from);
    const target = stemWord(to);
    const present = links.get(term) ?? [];
    if (target === term || present.some(({ terms }) => terms[0] === target)) return;
    links.set(term, [...present, { terms: [target], ...strength }]);
  };
  const linkGroups = (groups: readonly (readonly string[])[], strength: Omit<WordLink, "terms">): void => {
    for (const [head = "", ...others] of groups) {
      for (const other of others) {
        link(head, other, strength);
        link(other, head, strength);
      }
    }
  };
  linkGroups(translations, { weight: translationWeight });
  linkGroups(abbreviations, { weight: abbreviationWeight });
  linkGroups(relatedWords, { weight: relatedWeight, isHint: true });
  return links;
}
