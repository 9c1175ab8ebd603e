import { aliasPrefix } from "../registry/alias-prefix.ts";
import { buildImportGraph, type ImportGraph } from "./import-graph.ts";
import { queryTerms, splitIdentifier } from "./query-terms.ts";
import { createTermMatcher, type TermCounts } from "./term-matcher.ts";

/** A file as ranking sees it. */
export interface RankInput {
  alias: string;
  path: string;
  /** Its text, or what `countWords` made of it. */
  content: { text: string } | { bag: string };
  /** Of the text, in UTF-16 units. */
  chars: number;
  /** Names that the file declares, with spaces between. */
  declarations: string;
  /** Module specifiers as written. */
  imports: string[];
}

/** What ranking is for. */
export interface RankOptions {
  task: string;
  /** Positions of files that the work is about. */
  focus?: number[] | undefined;
}

/** Weights of BM25F's fields: a path says more than a name, a name more than a word of the text. */
const FIELDS = [
  { weight: 8, lengthBias: 0.3 },
  { weight: 3, lengthBias: 0.5 },
  { weight: 1, lengthBias: 0.6 },
] as const;
const SATURATION = 1.2;
/** What a file gets of its best neighbour's score in the import graph. */
const NEIGHBOUR_SHARE = 0.2;
/** Share of the score that needs no word of the task: how much of the project leans on the file, and its size. */
const PRIOR_SHARE = 0.12;

/** Scores files for a task; higher is better, and every file has a score above 0, so that the order is total. */
export function rankFiles(files: RankInput[], options: RankOptions): Float64Array {
  const graph = buildImportGraph(
    files.map((file) => file.path),
    files.map((file) => file.imports),
  );
  const scores = scoreWords(files, options.task);
  normalize(scores);
  spread(scores, graph, NEIGHBOUR_SHARE);
  const prior = scorePrior(files, graph);
  const wanted = wantedKinds(options.task);
  for (const [position, file] of files.entries()) {
    const score = (scores[position] ?? 0) + PRIOR_SHARE * (prior[position] ?? 0);
    scores[position] = score * kindWeight(file, wanted);
  }
  return options.focus === undefined || options.focus.length === 0
    ? scores
    : addFocus(scores, graph, options.focus);
}

function scoreWords(files: RankInput[], task: string): Float64Array {
  const terms = queryTerms(task);
  const matcher = createTermMatcher([...terms.keys()]);
  const weights = [...terms.values()];
  const counted = files.map((file) => [
    matcher.count(splitPath(file.path)),
    matcher.count(file.declarations),
    "text" in file.content ? matcher.count(file.content.text) : matcher.countBag(file.content.bag),
  ]);
  const averages = FIELDS.map(
    (_, field) =>
      counted.reduce((sum, fields) => sum + (fields[field]?.words ?? 0), 0) /
        Math.max(1, files.length) || 1,
  );
  const rarity = weights.map((weight, term) => {
    const holders = counted.filter((fields) =>
      fields.some((field) => (field.counts[term] ?? 0) > 0),
    ).length;
    return weight * Math.log(1 + (files.length - holders + 0.5) / (holders + 0.5));
  });
  return Float64Array.from(counted, (fields) => scoreFile(fields, { averages, rarity }));
}

function scoreFile(fields: TermCounts[], corpus: { averages: number[]; rarity: number[] }): number {
  let score = 0;
  for (const [term, rarity] of corpus.rarity.entries()) {
    let frequency = 0;
    for (const [position, field] of FIELDS.entries()) {
      const counts = fields[position];
      const occurrences = counts?.counts[term] ?? 0;
      if (counts === undefined || occurrences === 0) continue;
      const length =
        1 - field.lengthBias + (field.lengthBias * counts.words) / (corpus.averages[position] ?? 1);
      frequency += (field.weight * occurrences) / length;
    }
    score += (rarity * frequency) / (SATURATION + frequency);
  }
  return score;
}

/** The path's words, its last segment twice: the file's own name says more than its folders'. */
function splitPath(path: string): string {
  const segments = path.split("/");
  return [...segments, segments.at(-1) ?? ""].join(" ").replaceAll(".", " ");
}

function normalize(scores: Float64Array): void {
  const best = scores.reduce((most, score) => Math.max(most, score), 0);
  if (best > 0) for (const [position, score] of scores.entries()) scores[position] = score / best;
}

function spread(scores: Float64Array, graph: ImportGraph, share: number): void {
  const before = scores.slice();
  for (const position of scores.keys()) {
    let best = 0;
    for (const neighbour of graph.imports[position] ?? [])
      best = Math.max(best, before[neighbour] ?? 0);
    for (const neighbour of graph.importedBy[position] ?? [])
      best = Math.max(best, before[neighbour] ?? 0);
    scores[position] = (before[position] ?? 0) + share * best;
  }
}

function scorePrior(files: RankInput[], graph: ImportGraph): Float64Array {
  return Float64Array.from(files, (file, position) => {
    const leaning = Math.min(1, Math.log2(1 + (graph.importedBy[position]?.length ?? 0)) / 6);
    const size = Math.min(1, Math.log2(1 + file.chars) / 16);
    return 0.01 + 0.5 * leaning + 0.5 * size;
  });
}

type FileKind = "code" | "test" | "doc" | "other";

function kindOf(alias: string): FileKind {
  const prefix = aliasPrefix(alias);
  if (prefix === "T") return "test";
  if (prefix === "D") return "doc";
  return prefix === "H" || prefix === "S" || prefix === "A" || prefix === "P" ? "code" : "other";
}

/** Kinds that the task names: a task on documentation wants documents first. */
function wantedKinds(task: string): Set<FileKind> {
  const words = new Set(splitIdentifier(task.slice(0, 2000)));
  const wanted = new Set<FileKind>();
  if (["test", "tests", "testing", "spec", "coverage"].some((word) => words.has(word)))
    wanted.add("test");
  if (
    ["doc", "docs", "documentation", "readme", "changelog", "guide"].some((word) => words.has(word))
  )
    wanted.add("doc");
  if (
    ["config", "deps", "dependency", "dependencies", "ci", "build", "release", "lint", "bump"].some(
      (word) => words.has(word),
    )
  )
    wanted.add("other");
  return wanted;
}

const KIND_WEIGHTS: Record<FileKind, number> = { code: 1, test: 0.5, doc: 0.45, other: 0.5 };

function kindWeight(file: RankInput, wanted: Set<FileKind>): number {
  const kind = kindOf(file.alias);
  return wanted.has(kind) ? 1 : KIND_WEIGHTS[kind];
}

/** Files in focus come first, then what they import and what imports them, by distance, two steps far. */
function addFocus(scores: Float64Array, graph: ImportGraph, focus: number[]): Float64Array {
  const distances = new Map<number, number>(focus.map((position) => [position, 0]));
  let border = focus;
  for (let distance = 1; distance <= 2; distance++) {
    const next: number[] = [];
    for (const position of border.flatMap((from) => [
      ...(graph.imports[from] ?? []),
      ...(graph.importedBy[from] ?? []),
    ])) {
      if (distances.has(position)) continue;
      distances.set(position, distance);
      next.push(position);
    }
    border = next;
  }
  const bonus = [2, 0.5, 0.2];
  return scores.map((score, position) => score + (bonus[distances.get(position) ?? 3] ?? 0));
}
