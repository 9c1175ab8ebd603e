import { countTerms, createAnalyzer, type Analyzer, type CountedText } from "@ccl/search";

/** Words of commits and requests that say nothing about where the work is. */
const stopWords = new Set(
  (
    "please add adds added fix fixes fixed feat feature chore make makes made use uses used using support supports " +
    "supported allow allows allowed implement implements implemented improve improves improved update updates updated " +
    "change changes changed remove removes removed ensure correct handle refactor perf bug issue pr via instead let get " +
    "new must may"
  ).split(" "),
);

/** Splits tasks, paths and sources into terms. */
export const analyzer: Analyzer = createAnalyzer({ stopWords });

/** A longer task adds words, not meaning. */
export const MAX_TASK_CHARS = 20_000;

/** For a text, how many words of the task it has. */
export function createTaskCounter(task: string): (text: string) => number {
  const words = analyzer.queryWords(task.slice(0, MAX_TASK_CHARS));
  return (text) => {
    const terms = new Set(analyzer.documentTerms(text));
    return words.filter(({ alternatives: [own] }) => own?.terms.every((term) => terms.has(term)))
      .length;
  };
}

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
