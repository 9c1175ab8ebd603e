import { createSearchIndex, splitWords } from "@ccl/search";

import { aliasPrefix } from "../registry/alias-prefix.ts";
import type { HistoryScores } from "./file-history.ts";
import { buildImportGraph, type ImportGraph } from "./import-graph.ts";
import type { ModuleName } from "./module-names.ts";
import { scopeWeights } from "./task-scope.ts";
import { analyzer, countWords, MAX_TASK_CHARS } from "./task-words.ts";

/** A file as ranking sees it. */
export interface RankInput {
  alias: string;
  path: string;
  /** How often its text has the terms that the task can meet. */
  counts: ReadonlyMap<string, number>;
  /** Of the text, in UTF-16 units. */
  chars: number;
  /** Names that the file declares, with spaces between. */
  declarations: string;
  /** Module specifiers as written. */
  imports: string[];
}

/** What ranking is for. */
export interface ScoreOptions {
  task: string;
  /** Positions of files that the work is about. */
  focus?: number[] | undefined;
  history?: HistoryScores | undefined;
  /** By file, how close an embedder finds it, 0..1. */
  meaning?: number[] | undefined;
  /** Names by which imports reach files, by the project's manifests. */
  names?: ModuleName[] | undefined;
}

/** Why a file ranks where it does: what adds the largest part of its score. */
type RankReason = "focus" | "words" | "meaning" | "import" | "history" | "structure";

/** Where the score of one file comes from. */
export interface ScoreSource {
  /** Words of the task that it has, as the task wrote them. */
  matched: string[];
  /** What adds the largest part of its score. */
  reason: RankReason;
  /** Shares of the score by reason, together 1; what adds less than a hundredth is left out. */
  parts: Partial<Record<RankReason, number>>;
  /** The file that ranks it up as what it imports or what imports it. */
  neighbour?: string | undefined;
  /** The subject of the commit closest to the task that changed it. */
  commit?: string | undefined;
  /** False where the task begins with the name of another part of the project, such as `router: ...`. */
  isInScope?: boolean | undefined;
}

/** The score of one file and where it comes from. */
export interface FileScore extends ScoreSource {
  /** Above 0; comparable within one answer. */
  score: number;
}

/** Scores by file, and the words of the task that no file has. */
export interface FileScores {
  scores: FileScore[];
  unmatched: string[];
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

/** By distance from the files in focus. */
const FOCUS_SCORES = [10, 0.5, 0.2] as const;
const MEANING_SHARE = 0.5;
const HISTORY_SHARE = { similar: 0.3, recent: 0.1 };

/** Scores files for a task by words, imports and history; every file has a score, so that the order is total. */
export async function scoreFiles(files: RankInput[], options: ScoreOptions): Promise<FileScores> {
  const graph = buildImportGraph(
    files.map((file) => file.path),
    files.map((file) => file.imports),
    options.names,
  );
  const { words, matched, unmatched } = await scoreWords(files, options.task);
  const neighbours = bestNeighbours(words, graph);
  const prior = scorePrior(files, graph);
  const focus = scoreFocus(graph, options.focus ?? []);
  const wanted = wantedKinds(options.task);
  const scope = scopeWeights(
    files.map(({ path }) => path),
    options.task,
  );
  const scores = files.map((file, at): FileScore => {
    const own = words[at] ?? 0;
    const weight = kindWeight(file, wanted) * (scope[at] ?? 1);
    const neighbour = neighbours[at] ?? -1;
    const parts: [RankReason, number][] = [
      ["words", weight * own],
      ["meaning", weight * MEANING_SHARE * (options.meaning?.[at] ?? 0)],
      ["import", weight * NEIGHBOUR_SHARE * (words[neighbour] ?? 0)],
      ["structure", weight * PRIOR_SHARE * (prior[at] ?? 0)],
      ["history", historyOf(file.path, options.history)],
      ["focus", focus.get(at) ?? 0],
    ];
    const [reason] = parts.reduce((best, part) => (part[1] > best[1] ? part : best));
    const score = parts.reduce((sum, part) => sum + part[1], 0);
    const shares = parts.map(([name, part]): [RankReason, number] => [name, round(part / score)]);
    return {
      score,
      matched: matched[at] ?? [],
      reason,
      parts: Object.fromEntries(shares.filter(([, share]) => share > 0)),
      neighbour: files[neighbour]?.path,
      commit: options.history?.subjects.get(file.path),
      isInScope: scope[at] === 1,
    };
  });
  return { scores, unmatched };
}

const round = (share: number): number => Math.round(share * 100) / 100;

function historyOf(path: string, history: HistoryScores | undefined): number {
  const similar = history?.similar.get(path) ?? 0;
  const recent = history?.recent.get(path) ?? 0;
  return HISTORY_SHARE.similar * similar + HISTORY_SHARE.recent * recent;
}

/** Scores by the words of the task, the best file 1. */
async function scoreWords(
  files: RankInput[],
  task: string,
): Promise<{ words: Float64Array; matched: string[][]; unmatched: string[] }> {
  const index = createSearchIndex({ ...WEIGHTS, analyzer });
  const text = task.slice(0, MAX_TASK_CHARS);
  await index.put(
    files.map(({ path, declarations, chars, counts }, position) => ({
      id: String(position),
      texts: {
        path: countWords(splitPath(path)),
        declarations: countWords(declarations),
        text: { length: chars, counts },
      },
    })),
  );
  const found = index.searchText({ text, limit: files.length });
  const words = new Float64Array(files.length);
  const matched: string[][] = files.map(() => []);
  const missing = new Set(found.unmatchedTerms);
  for (const { id, score, parts = {} } of found.hits) {
    words[Number(id)] = score / (found.hits[0]?.score ?? 1);
    // A word that only comes close is not found.
    matched[Number(id)] = Object.keys(parts).filter((word) => !missing.has(word));
  }
  return { words, matched, unmatched: found.unmatchedTerms };
}

/** The path's words, its last segment twice: the file's own name says more than its folders'. */
function splitPath(path: string): string {
  const segments = path.split("/");
  return [...segments, segments.at(-1) ?? ""].join(" ").replaceAll(".", " ");
}

/** Of the files that a file imports and those that import it, the one with the best score above 0; else -1. */
function bestNeighbours(scores: Float64Array, graph: ImportGraph): number[] {
  return graph.imports.map((targets, at) => {
    let best = -1;
    for (const neighbour of [...targets, ...(graph.importedBy[at] ?? [])])
      if ((scores[neighbour] ?? 0) > (scores[best] ?? 0)) best = neighbour;
    return best;
  });
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
/** Written by tools; nobody edits them by hand. */
const GENERATED =
  /(?:^|\/)(?:[^/]+\.(?:lock|lockb|min\.\w+|map|snap)|[\w-]+[.-]lock\.(?:json|ya?ml)|go\.sum)$/;
const GENERATED_WEIGHT = 0.05;

function kindWeight(file: RankInput, wanted: Set<FileKind>): number {
  if (GENERATED.test(file.path)) return GENERATED_WEIGHT;
  const kind = kindOf(file.alias);
  return wanted.has(kind) ? 1 : KIND_WEIGHTS[kind];
}

/** Files in focus come first, then what they import and what imports them, by distance, two steps far. */
function scoreFocus(graph: ImportGraph, focus: number[]): Map<number, number> {
  const scores = new Map<number, number>(focus.map((position) => [position, FOCUS_SCORES[0]]));
  let border = focus;
  for (const score of FOCUS_SCORES.slice(1)) {
    border = border
      .flatMap((from) => [...(graph.imports[from] ?? []), ...(graph.importedBy[from] ?? [])])
      .filter((position) => !scores.has(position));
    for (const position of border) scores.set(position, score);
  }
  return scores;
}
