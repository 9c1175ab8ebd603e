import { createWordLinks, type WordLink } from "./word-links.ts";
import { splitWords, type SplitWord } from "./split-words.ts";
import { stemWord } from "./stem-word.ts";
import { requestWords, stopWords } from "./stop-words.ts";

/** A way to match a word of a query. The scores of its terms are averaged and multiplied by the weight. */
export interface TermAlternative {
  terms: string[];
  /** 1 for the word itself. */
  weight: number;
  /** True for a weak match, which adds to the score but leaves the word unmatched. */
  isHint?: boolean | undefined;
}

/** A query word and the ways to match it. Only the best one counts. */
export interface QueryWord {
  /** The word as written in the query. */
  word: string;
  alternatives: TermAlternative[];
}

/** Converts text to terms. The same text always produces the same terms. */
export interface Analyzer {
  /** Saved with an index. An analyzer with another name cannot restore the index. */
  name: string;
  /** Returns the terms in a document's text in order, with repetitions. */
  documentTerms(text: string): string[];
  /** Returns the distinct words of a query in order, without words that carry no subject. */
  queryWords(text: string): QueryWord[];
}

/** Options of the default analyzer. */
export interface AnalyzerOptions {
  /**
   * Groups of words or phrases with the same meaning, such as `["gmv", "gross merchandise value"]`.
   * Applied only to queries.
   */
  glossary?: readonly (readonly string[])[] | undefined;
  /** Additional words that carry no subject, in lower case. */
  stopWords?: Iterable<string> | undefined;
  /**
   * Weight of two adjacent query words joined into one, as `high school` matches `highschool`. 1 by
   * default. With less, one identifier counts less for each of the two words.
   */
  joinedWeight?: number | undefined;
}

/** Maximum number of words to read from the beginning of a document's field or a query. */
const maxWords = 20_000;
const maxQueryWords = 500;
const requestWeight = 0.5;
/**
 * Creates the default analyzer. It splits identifiers, paths and camelCase, and also keeps them
 * whole. It stems English and Russian, and knows common abbreviations in identifiers, related
 * words, and Russian equivalents of English column names. It drops query words that carry no
 * subject.
 */
export function createAnalyzer(options: AnalyzerOptions = {}): Analyzer {
  const { joinedWeight = 1 } = options;
  const ignored = new Set([...stopWords, ...(options.stopWords ?? [])]);
  const links = createWordLinks(options.glossary ?? []);
  return {
    name: "ccl-analyzer-1",
    documentTerms(text) {
      const terms: string[] = [];
      for (const { parts, whole } of splitWords(text, maxWords)) {
        for (const part of parts) terms.push(stemWord(part));
        if (parts.length > 1) terms.push(stemWord(whole));
      }
      return terms;
    },
    queryWords(text) {
      const words = splitWords(text, maxQueryWords);
      const phrases = links.findPhrases(words.map(({ whole }) => stemWord(whole)));
      const asked = words.map((word, at) => ({ word, phraseLinks: phrases.get(at) ?? [] }));
      const kept = asked.filter(
        ({ word, phraseLinks }) => phraseLinks.length > 0 || !ignored.has(word.whole),
      );
      return toQueryWords(kept.length > 0 ? kept : asked, { linksOf: links.linksOf, joinedWeight });
    },
  };
}

interface AskedWord {
  word: SplitWord;
  phraseLinks: readonly WordLink[];
}

function toQueryWords(
  asked: readonly AskedWord[],
  {
    linksOf,
    joinedWeight,
  }: { linksOf: (term: string) => readonly WordLink[]; joinedWeight: number },
): QueryWord[] {
  const found = new Map<string, QueryWord>();
  asked.forEach(({ word, phraseLinks }, at) => {
    const weight = requestWords.has(word.whole) ? requestWeight : 1;
    for (const part of word.parts) {
      const term = stemWord(part);
      if (found.has(term)) continue;
      const alternatives: TermAlternative[] = [
        { terms: [term], weight },
        ...ownForm(word, weight),
        ...joinedForms(word, [asked[at - 1]?.word, asked[at + 1]?.word], joinedWeight * weight),
      ];
      for (const link of [...phraseLinks, ...linksOf(term)]) {
        alternatives.push({ ...link, weight: link.weight * weight });
      }
      found.set(term, { word: word.parts.length === 1 ? word.written : part, alternatives });
    }
  });
  return [...found.values()];
}

/** Returns an identifier as a whole. */
function ownForm({ whole, parts }: SplitWord, weight: number): TermAlternative[] {
  return parts.length > 1 ? [{ terms: [stemWord(whole)], weight }] : [];
}

/** Returns two adjacent words joined into one, as `high school` matches `highschool`. */
function joinedForms(
  { whole }: SplitWord,
  [before, after]: (SplitWord | undefined)[],
  weight: number,
): TermAlternative[] {
  return [before && before.whole + whole, after && whole + after.whole].flatMap((form) =>
    form ? { terms: [stemWord(form)], weight } : [],
  );
}
