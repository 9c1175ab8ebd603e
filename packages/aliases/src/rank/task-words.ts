import {
  countTerms,
  createAnalyzer,
  irregularFormsOf,
  type Analyzer,
  type CountedText,
} from "@ccl/search";

import { transliterate } from "../registry/transliterate.ts";
import { codeGlossary } from "./code-glossary.ts";

/** Words in commits and requests that do not hint at where the work is. */
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

/**
 * English words by the stem of a Russian word. Not used in reverse, so that English tasks stay
 * unchanged.
 */
const english = new Map(
  codeGlossary.flatMap(({ forms, names }) =>
    forms.map((form) => [plain.documentTerms(form).join(" "), names]),
  ),
);

/**
 * Splits tasks, paths and sources into terms. A Russian word in a task also matches its English
 * equivalents and its transliteration.
 */
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

const MAX_TASK_CHARS = 20_000;

// oxlint-disable-next-line no-control-regex
const ASCII = /^[\u0000-\u007f]*$/;
const WORD = /^\w$/;
const POSSESSIVE = /'[sS](?![A-Za-z0-9])/g;
const MAX_COUNTED_CHARS = 200_000;
const MAX_KNOWN = 100_000;
const known = new Map<string, string[]>();

/**
 * Counts the terms in a file's text. Splits and stems each identifier only once, because
 * identifiers recur across the files of a project.
 */
export function countWords(text: string): CountedText {
  const { plain, others } = splitByLetters(text);
  const identifiers = plain.replaceAll(POSSESSIVE, " ").split(/[^A-Za-z0-9_]+/);
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

/** Separates lines with non-English letters, which need the analyzer. Words never span two lines. */
function splitByLetters(whole: string): { plain: string; others: string } {
  const text = whole.slice(0, MAX_COUNTED_CHARS);
  if (ASCII.test(text)) return { plain: text, others: "" };
  const lines = text.split("\n");
  return {
    plain: lines.filter((line) => ASCII.test(line)).join("\n"),
    others: lines.filter((line) => !ASCII.test(line)).join("\n"),
  };
}

/** Counts only the terms of one task in a file, because searching for that task needs no others. */
export interface TaskTerms {
  /** The task, truncated to a length beyond which words add no meaning. */
  task: string;
  /**
   * Counts the terms in a file's text. Returns the same counts as counting all words would, at a
   * fraction of the cost.
   */
  count(text: string): ReadonlyMap<string, number>;
  /** Parses a line written by `formatCounts`. */
  recall(line: string): ReadonlyMap<string, number>;
}

/** Formats terms with their counts as one line, such as ` cach:3 ratelimit:1`. */
export function formatCounts({ counts }: CountedText): string {
  return [...counts].map(([term, count]) => ` ${term}:${count}`).join("");
}

/** Maximum number of terms to search for individually. Above it, reading all words is cheaper. */
const MAX_SOUGHT = 100;

/** Extracts the terms of a task. */
export function createTaskTerms(whole: string): TaskTerms {
  const task = whole.slice(0, MAX_TASK_CHARS);
  const wanted = new Set(
    analyzer
      .queryWords(task)
      .flatMap(({ alternatives }) => alternatives.flatMap(({ terms }) => terms)),
  );
  const sought = wanted.size > MAX_SOUGHT ? undefined : patternOf(wanted);
  const pick = (countOf: (term: string) => number): ReadonlyMap<string, number> =>
    new Map(
      [...wanted].flatMap((term): [string, number][] => {
        const count = countOf(term);
        return count > 0 ? [[term, count]] : [];
      }),
    );
  return {
    task,
    count(text) {
      const { counts } = countWords(sought === undefined ? text : wordsWith(sought, text));
      return pick((term) => counts.get(term) ?? 0);
    },
    recall: (line) =>
      pick((term) => {
        const start = line.indexOf(` ${term}:`);
        return start < 0 ? 0 : Number.parseInt(line.slice(start + term.length + 2), 10);
      }),
  };
}

/** Creates a pattern for the beginnings of words with these stems, in any identifier style. */
function patternOf(stems: ReadonlySet<string>): RegExp {
  const beginnings = [...stems]
    .flatMap((stem) => [stem, ...irregularFormsOf(stem)])
    // Stemming adds or changes these letters.
    .map((word) => word.replace(/(?<=..)[eily]$/, ""))
    .filter((word) => /^[a-z0-9]+$/.test(word));
  const parts = [...new Set(beginnings)].map((word) => [...word].join("_?"));
  return new RegExp(parts.join("|") || "(?!)", "gi");
}

/** Returns the identifiers that contain a match, and the lines with non-English letters. */
function wordsWith(pattern: RegExp, text: string): string {
  const { plain, others } = splitByLetters(text);
  const words = [others];
  let end = 0;
  for (const { index } of plain.matchAll(pattern)) {
    if (index < end) continue;
    let start = index;
    while (WORD.test(plain.charAt(start - 1))) start -= 1;
    end = index;
    while (WORD.test(plain.charAt(end))) end += 1;
    // Skips the `s` of an English possessive.
    if (end - start > 1 || plain[start - 1] !== "'") words.push(plain.slice(start, end));
  }
  return words.join("\n");
}
