import { createWordLinks, type WordLink } from "./word-links.ts";
import { splitWords, type SplitWord } from "./split-words.ts";
import { stemWord } from "./stem-word.ts";
import { requestWords, stopWords } from "./stop-words.ts";

/** One way to meet a word of a query: the scores of its terms are averaged and multiplied by the weight. */
export interface TermAlternative {
  terms: string[];
  /** 1 for the word itself. */
  weight: number;
  /** Comes close only: adds to the score, but the word still counts as unmatched. */
  isHint?: boolean | undefined;
}

/** A word of a query and the ways to meet it; the best one counts. */
export interface QueryWord {
  /** As the query wrote it. */
  word: string;
  alternatives: TermAlternative[];
}

/** Makes terms of texts; the same text always gives the same terms. */
export interface Analyzer {
  /** Stands in a saved index, which an analyzer of another name refuses. */
  name: string;
  /** Terms of a document's text in order, repeated as often as they occur. */
  documentTerms(text: string): string[];
  /** Words of a query in order, each once, without those that carry no subject. */
  queryWords(text: string): QueryWord[];
}

/** Options of the default analyzer. */
export interface AnalyzerOptions {
  /** Groups of words or phrases that mean the same, like `["gmv", "gross merchandise value"]`; read for queries only. */
  glossary?: readonly (readonly string[])[] | undefined;
  /** More words that carry no subject, in lower case. */
  stopWords?: Iterable<string> | undefined;
  /** Words of a document's field that are read, from its beginning; 20,000 where absent. */
  maxWords?: number | undefined;
  /** Words of a query that are read, from its beginning; 500 where absent. */
  maxQueryWords?: number | undefined;
}

const requestWeight = 0.5;

/**
 * The default analyzer: identifiers, paths and camelCase split and kept whole as well, English and Russian stemmed,
 * common abbreviations of identifiers, near words and Russian names of English columns known, words that carry no
 * subject left out of queries.
 */
export function createAnalyzer(options: AnalyzerOptions = {}): Analyzer {
  const maxWords = options.maxWords ?? 20_000;
  const maxQueryWords = options.maxQueryWords ?? 500;
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
      return toQueryWords(kept.length > 0 ? kept : asked, links.linksOf);
    },
  };
}

interface AskedWord {
  word: SplitWord;
  phraseLinks: readonly WordLink[];
}

function toQueryWords(
  asked: readonly AskedWord[],
  linksOf: (term: string) => readonly WordLink[],
): QueryWord[] {
  const found = new Map<string, QueryWord>();
  asked.forEach(({ word, phraseLinks }, at) => {
    const weight = requestWords.has(word.whole) ? requestWeight : 1;
    const joined = joinedForms(word, asked[at - 1]?.word, asked[at + 1]?.word);
    for (const part of word.parts) {
      const term = stemWord(part);
      if (found.has(term)) continue;
      const alternatives: TermAlternative[] = [{ terms: [term], weight }];
      for (const form of joined) alternatives.push({ terms: [form], weight });
      for (const link of [...phraseLinks, ...linksOf(term)]) {
        alternatives.push({ ...link, weight: link.weight * weight });
      }
      found.set(term, { word: word.parts.length === 1 ? word.written : part, alternatives });
    }
  });
  return [...found.values()];
}

/** An identifier as a whole, and two words written as one: `high school` meets `highschool`. */
function joinedForms(
  word: SplitWord,
  before: SplitWord | undefined,
  after: SplitWord | undefined,
): string[] {
  const forms = word.parts.length > 1 ? [stemWord(word.whole)] : [];
  if (before !== undefined) forms.push(stemWord(before.whole + word.whole));
  if (after !== undefined) forms.push(stemWord(word.whole + after.whole));
  return forms;
}
