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

/** The terms of a file's text. */
export function countWords(text: string): CountedText {
  return countTerms(text, analyzer);
}
