import { countTerms, createAnalyzer, type Analyzer, type CountedText } from "@ccl/search";

import { transliterate } from "../registry/transliterate.ts";
import { codeGlossary } from "./code-glossary.ts";

/** Words of commits and requests that say nothing about where the work is. */
const stopWords = new Set(
  (
    "please add adds added fix fixes fixed feat feature chore make makes made use uses used using support supports " +
    "supported allow allows allowed implement implements implemented improve improves improved update updates updated " +
    "change changes changed remove removes removed ensure correct handle refactor perf bug issue pr via instead let get " +
    "new must may добавь добавить исправь исправить сделай сделать поддержка поддержать обнови обновить измени изменить " +
    "убери удали нужно чтобы если когда пожалуйста поэтому должен должна должны этих этого также только уже теперь вместо можно"
  ).split(" "),
);

const plain = createAnalyzer({ stopWords });
const TRANSLITERATED_WEIGHT = 0.7;

/** What code calls a Russian word, by its stem. It leads one way, so that English tasks stay as they are. */
const english = new Map(
  codeGlossary.flatMap(({ forms, names }) =>
    forms.map((form) => [plain.documentTerms(form).join(" "), names]),
  ),
);

/** Splits tasks, paths and sources into terms; a Russian word of a task is looked for in English and Latin letters too. */
export const analyzer: Analyzer = {
  name: `${plain.name}-code`,
  documentTerms: (text) => plain.documentTerms(text),
  queryWords: (text) =>
    plain.queryWords(text).map((word) => {
      const term = word.alternatives[0]?.terms[0] ?? "";
      if (!/^[а-я]{3,}$/.test(term)) return word;
      const translated = (english.get(term) ?? []).map((name) => ({
        terms: plain.documentTerms(name),
        weight: 1,
      }));
      const spelled = {
        terms: plain.documentTerms(transliterate(term)),
        weight: TRANSLITERATED_WEIGHT,
      };
      return { ...word, alternatives: [...word.alternatives, ...translated, spelled] };
    }),
};

/** A longer task adds words, not meaning. */
export const MAX_TASK_CHARS = 20_000;

/** Terms with their counts as one line: `12 cach:3 ratelimit:1`. */
export function formatCounts({ length, counts }: CountedText): string {
  return [`${length}`, ...[...counts].map(([term, count]) => `${term}:${count}`)].join(" ");
}

/** Reads what `formatCounts` wrote. */
export function parseCounts(line: string): CountedText {
  const [length, ...entries] = line.split(" ");
  const counts = new Map<string, number>();
  for (const entry of entries) {
    const colon = entry.indexOf(":");
    counts.set(entry.slice(0, colon), Number(entry.slice(colon + 1)));
  }
  return { length: Number(length), counts };
}

// oxlint-disable-next-line no-control-regex
const ASCII = /^[\u0000-\u007f]*$/;
const POSSESSIVE = /'[sS](?![A-Za-z0-9])/g;
const MAX_IDENTIFIERS = 20_000;
const MAX_KNOWN = 100_000;
const known = new Map<string, string[]>();

/** The terms of a file's text. Identifiers repeat over the files of a project, so each is split and stemmed once. */
export function countWords(text: string): CountedText {
  // Words end with their line; the analyzer reads those lines that have other letters than English.
  const lines = ASCII.test(text) ? [text] : text.split("\n");
  const plain = lines.filter((line) => ASCII.test(line)).join("\n");
  const others = lines.filter((line) => !ASCII.test(line)).join("\n");
  const identifiers = plain.replaceAll(POSSESSIVE, " ").split(/[^A-Za-z0-9_]+/, MAX_IDENTIFIERS);
  const seen = new Map<string, number>();
  for (const each of identifiers) seen.set(each, (seen.get(each) ?? 0) + 1);
  const { length: otherLength, counts: otherCounts } = countTerms(others, analyzer);
  const counts = new Map(otherCounts);
  let length = otherLength;
  for (const [identifier, count] of seen) {
    const terms = termsOf(identifier);
    for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + count);
    length += terms.length * count;
  }
  return { length, counts };
}

function termsOf(identifier: string): string[] {
  let terms = known.get(identifier);
  if (terms === undefined) {
    terms = analyzer.documentTerms(identifier);
    if (known.size >= MAX_KNOWN) known.clear();
    known.set(identifier, terms);
  }
  return terms;
}

/** Of counted terms, those that a task can meet: a search for it needs no more. */
export function createTermFilter(task: string): (words: CountedText) => CountedText {
  const wanted = new Set(
    analyzer
      .queryWords(task)
      .flatMap(({ alternatives }) => alternatives.flatMap(({ terms }) => terms)),
  );
  return ({ length, counts }) => {
    const kept = [...wanted].flatMap((term): [string, number][] => {
      const count = counts.get(term);
      return count === undefined ? [] : [[term, count]];
    });
    return { length, counts: new Map(kept) };
  };
}
