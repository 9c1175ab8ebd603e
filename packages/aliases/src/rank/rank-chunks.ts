import { createSearchIndex } from "@ccl/search";

import { outlineLanguage } from "../outline/outline-language.ts";
import { scanDeclarations } from "../outline/scan-declarations.ts";
import { splitIntoChunks, type SourceChunk } from "./source-chunks.ts";
import { scopeWeights } from "./task-scope.ts";
import { analyzer, countWords, MAX_TASK_CHARS } from "./task-words.ts";

/** A file whose chunks are ranked. */
export interface RankableFile {
  path: string;
  lines: readonly string[];
  /** Of the file as a whole. */
  score: number;
}

/** A chunk with its share of its file's expected edits. */
export interface RankedChunk extends SourceChunk {
  /** How likely it is needed for each of its characters; comparable over all files of one answer. */
  density: number;
}

/** A file's chunks in its order, and the score that takes its best chunks into account, the best file 1. */
export interface ChunkedFile {
  chunks: RankedChunk[];
  score: number;
}

const WEIGHTS = {
  fields: { names: 2, enclosing: 0.5, text: 1 },
  lengthDiscounts: { names: 0.4, text: 0.75 },
};
// Tuned on half of the commits of several repositories; the other half does as well within a few hundredths.
/** Share of a file's score that its best chunks have. */
const CHUNK_SHARE = 0.4;
const BEST_CHUNKS = 3;
/** What a chunk gets of its neighbours' relevance, and of its file's mean. */
const NEIGHBOUR_SHARE = 0.2;
const FILE_SHARE = 0.3;
const BASE_RELEVANCE = 0.03;
/** Characters of a header or a mark: many small chunks cost more than their lines. */
const CHUNK_COST = 60;
const RANK_POWER = 0.5;
const SCORE_SCALE = 0.4;
const FILE_POWER = 0.5;
/** Characters of a file below which its best chunk is worth little more than the rest: a slice may be the wrong one. */
const SMALL_FILE = 2_800;

/** Splits files into chunks and says for each how likely the task needs it. */
export async function rankChunks(
  files: readonly RankableFile[],
  task: string,
): Promise<ChunkedFile[]> {
  const chunks = files.map(({ lines }) => splitIntoChunks(lines));
  const relevance = await scoreChunks(files, chunks, task);
  const inScope = scopeWeights(
    files.map(({ path }) => path),
    task,
  );
  const wholes = toShares(files.map(({ score }) => score));
  const bests = toShares(relevance.map((own, at) => sumOfBest(own) * (inScope[at] ?? 1)));
  const scores = toShares(
    wholes.map((whole, at) => (1 - CHUNK_SHARE) * whole + CHUNK_SHARE * (bests[at] ?? 0)),
  );
  const order = [...scores.keys()].sort((a, b) => (scores[b] ?? 0) - (scores[a] ?? 0) || a - b);
  const ranks = new Map(order.map((at, rank) => [at, rank]));
  return files.map(({ lines }, at) => {
    const score = scores[at] ?? 0;
    const rank = ranks.get(at) ?? 0;
    const likely = (rank + 1) ** -RANK_POWER * Math.exp((score - 1) / SCORE_SCALE);
    return { score, chunks: spread(chunks[at] ?? [], { lines, likely, own: relevance[at] ?? [] }) };
  });
}

/** The best 1. */
function toShares(scores: readonly number[]): number[] {
  const best = Math.max(...scores);
  return scores.map((score) => (best > 0 ? score / best : 0));
}

/** By file and chunk, how far it has the words of the task; the best chunk 1. */
async function scoreChunks(
  files: readonly RankableFile[],
  chunks: readonly SourceChunk[][],
  task: string,
): Promise<number[][]> {
  const index = createSearchIndex({ ...WEIGHTS, analyzer });
  const relevance = chunks.map((own) => own.map(() => 0));
  const places = chunks.flatMap((own, file) => own.map((chunk, at) => ({ file, at, chunk })));
  await index.put(
    places.map(({ file, chunk }, id) => {
      const { path = "", lines = [] } = files[file] ?? {};
      const text = lines.slice(chunk.firstLine - 1, chunk.lastLine).join("\n");
      const enclosing = chunk.enclosing.map((line) => lines[line - 1] ?? "").join("\n");
      const names = scanDeclarations(`${enclosing}\n${text}`, outlineLanguage(path)).join(" ");
      return {
        id: String(id),
        texts: {
          names: countWords(names),
          enclosing: countWords(enclosing),
          text: countWords(text),
        },
      };
    }),
  );
  const { hits } = index.searchText({
    text: task.slice(0, MAX_TASK_CHARS),
    limit: Math.max(1, places.length),
  });
  for (const { id, score } of hits) {
    const place = places[Number(id)];
    const own = relevance[place?.file ?? -1];
    if (own !== undefined && place !== undefined) own[place.at] = score / (hits[0]?.score ?? 1);
  }
  return relevance;
}

function sumOfBest(relevance: readonly number[]): number {
  const best = [...relevance].sort((a, b) => b - a).slice(0, BEST_CHUNKS);
  return best.reduce((sum, each) => sum + each, 0);
}

/** Divides what is expected of a file among its chunks. */
function spread(
  chunks: readonly SourceChunk[],
  { lines, likely, own }: { lines: readonly string[]; likely: number; own: readonly number[] },
): RankedChunk[] {
  const mean = own.reduce((sum, each) => sum + each, 0) / Math.max(1, own.length);
  const weighed = chunks.map((chunk, at) => {
    const length = lines
      .slice(chunk.firstLine - 1, chunk.lastLine)
      .reduce((sum, line) => sum + line.trim().length + 3, 0);
    const near = (own[at - 1] ?? 0) + (own[at + 1] ?? 0);
    const relevance = BASE_RELEVANCE + (own[at] ?? 0) + NEIGHBOUR_SHARE * near + FILE_SHARE * mean;
    return { chunk, length, relevance };
  });
  const whole = weighed.reduce((sum, { length }) => sum + length, 0);
  const all = weighed.reduce((sum, { length, relevance }) => sum + length * relevance, 0);
  const typical = all / whole;
  const contrast = 1 / (1 + (SMALL_FILE / whole) ** 2);
  return weighed.map(({ chunk, length, relevance }) => {
    const worth = typical * (relevance / typical) ** contrast;
    return {
      ...chunk,
      density: (likely * length * worth) / (all ** FILE_POWER * (length + CHUNK_COST)),
    };
  });
}
