import { createSearchIndex, splitWords, type CountedText } from "@ccl/search";

import { aliasPrefix } from "../registry/alias-prefix.ts";
import { buildImportGraph, type ImportGraph } from "./import-graph.ts";
import { analyzer, MAX_TASK_CHARS } from "./task-words.ts";

/** A file as ranking sees it. */
export interface RankInput {
  alias: string;
  path: string;
  /** The terms of its text. */
  words: CountedText;
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

/** A path says more than a name, a name more than a word of the text. */
const WEIGHTS = {
  fields: { path: 8, declarations: 3, text: 1 },
  lengthDiscounts: { path: 0.3, declarations: 0.5, text: 0.6 },
};
/** What a file gets of its best neighbour's score in the import graph. */
const NEIGHBOUR_SHARE = 0.2;
/** Share of the score that needs no word of the task: how much of the project leans on the file, and its size. */
const PRIOR_SHARE = 0.12;

/** Scores files for a task; higher is better, and every file has a score above 0, so that the order is total. */
export async function rankFiles(files: RankInput[], options: RankOptions): Promise<Float64Array> {
  const graph = buildImportGraph(
    files.map((file) => file.path),
    files.map((file) => file.imports),
  );
  const scores = await scoreWords(files, options.task);
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

/** Scores by the words of the task, the best file 1. */
async function scoreWords(files: RankInput[], task: string): Promise<Float64Array> {
  const index = createSearchIndex({ ...WEIGHTS, analyzer });
  await index.put(
    files.map(({ path, declarations, words }, position) => ({
      id: String(position),
      texts: { path: splitPath(path), declarations, text: words },
    })),
  );
  const { hits } = index.searchText({ text: task.slice(0, MAX_TASK_CHARS), limit: files.length });
  const scores = new Float64Array(files.length);
  for (const { id, score } of hits) scores[Number(id)] = score / (hits[0]?.score ?? 1);
  return scores;
}

/** The path's words, its last segment twice: the file's own name says more than its folders'. */
function splitPath(path: string): string {
  const segments = path.split("/");
  return [...segments, segments.at(-1) ?? ""].join(" ").replaceAll(".", " ");
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

/** Words by which a task asks for a kind: one on documentation wants documents first. */
const KIND_WORDS: [kind: FileKind, words: string][] = [
  ["test", "test tests testing spec coverage"],
  ["doc", "doc docs documentation readme changelog guide"],
  ["other", "config deps dependency dependencies ci build release lint bump"],
];

function wantedKinds(task: string): Set<FileKind> {
  const asked = new Set(splitWords(task, 500).flatMap(({ parts }) => parts));
  const wanted = KIND_WORDS.filter(([, words]) => words.split(" ").some((word) => asked.has(word)));
  return new Set(wanted.map(([kind]) => kind));
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
