import { createSearchIndex } from "@ccl/search";

import { outlineLanguage } from "../outline/outline-language.ts";
import { scanDeclarations } from "../outline/scan-declarations.ts";
import { splitIntoChunks, type SourceChunk } from "./source-chunks.ts";
import { analyzer, countWords, type TaskTerms } from "./task-words.ts";

/** A file whose chunks are to be ranked. */
export interface RankableFile {
  path: string;
  lines: readonly string[];
  /** How likely the task is to edit the file, regardless of its chunks. */
  score: number;
}

/** A chunk, with its share of the edits expected in its file. */
export interface RankedChunk extends SourceChunk {
  /** How likely the chunk is to be needed, per character. Comparable across all files of one answer. */
  density: number;
}

/** A file's chunks in source order, and a score that includes its best chunks. The best file scores 1. */
interface ChunkedFile {
  chunks: RankedChunk[];
  score: number;
}

const WEIGHTS = {
  fields: { names: 2, enclosing: 0.5, text: 1 },
  lengthDiscounts: { names: 0.4, text: 0.75 },
};
/**
 * How much a file's best chunks add to its log-odds. Fitted together with the values in
 * `scoreFiles`.
 */
const CHUNKS_LOG_ODDS = 2.4;
const BEST_CHUNKS = 3;
/**
 * Weights of a chunk within its file. They come from a conditional logit model of the places edited
 * by 276 commits in twelve repositories. Edits tend to be near the start or the end of a file.
 */
const CHUNK_LOG_ODDS = {
  length: 0.72,
  anyWord: 1.5,
  words: 2.5,
  near: 0.6,
  depth: -1.2,
  last: 0.9,
};
/**
 * Number of characters in a header or a mark. Penalizes small chunks, which cost more than their
 * lines.
 */
const CHUNK_COST = 40;

/** Splits files into chunks and estimates how likely the task is to need each one. */
export async function rankChunks(
  files: readonly RankableFile[],
  terms: TaskTerms,
): Promise<ChunkedFile[]> {
  const chunks = files.map(({ lines }) => splitIntoChunks(lines));
  const relevance = await scoreChunks(files, chunks, terms);
  const bests = toShares(relevance.map(sumOfBest));
  const scores = toShares(
    files.map(({ score }, at) => score * Math.exp(CHUNKS_LOG_ODDS * (bests[at] ?? 0))),
  );
  return files.map(({ lines }, at) => {
    const score = scores[at] ?? 0;
    const own = relevance[at] ?? [];
    return { score, chunks: spread(chunks[at] ?? [], { lines, score, own }) };
  });
}

/** Scales scores so that the best one is 1. */
function toShares(scores: readonly number[]): number[] {
  const best = Math.max(...scores);
  return scores.map((score) => (best > 0 ? score / best : 0));
}

/** Scores how well each chunk matches the words of the task, by file and chunk. The best chunk scores 1. */
async function scoreChunks(
  files: readonly RankableFile[],
  chunks: readonly SourceChunk[][],
  terms: TaskTerms,
): Promise<number[][]> {
  const index = createSearchIndex({ ...WEIGHTS, analyzer });
  const relevance = chunks.map((fileChunks) => fileChunks.map(() => 0));
  const places = chunks.flatMap((fileChunks, file) =>
    fileChunks.map((chunk, at) => ({ file, at, chunk })),
  );
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
          text: { length: text.length, counts: terms.count(text) },
        },
      };
    }),
  );
  const { hits } = index.searchText({
    text: terms.task,
    limit: Math.max(1, places.length),
  });
  for (const { id, score } of hits) {
    const place = places[Number(id)];
    const scores = relevance[place?.file ?? -1];
    if (scores !== undefined && place !== undefined)
      scores[place.at] = score / (hits[0]?.score ?? 1);
  }
  return relevance;
}

function sumOfBest(relevance: number[]): number {
  const best = [...relevance].sort((a, b) => b - a).slice(0, BEST_CHUNKS);
  return best.reduce((sum, each) => sum + each, 0);
}

/** Distributes a file's expected edits over its chunks. The density is a chunk's share per character. */
function spread(
  chunks: readonly SourceChunk[],
  { lines, score, own }: { lines: readonly string[]; score: number; own: readonly number[] },
): RankedChunk[] {
  const weighed = chunks.map((chunk, at) => {
    const length = lines
      .slice(chunk.firstLine - 1, chunk.lastLine)
      .reduce((sum, line) => sum + line.trim().length + 3, 0);
    const relevance = own[at] ?? 0;
    const near = (own[at - 1] ?? 0) + (own[at + 1] ?? 0);
    const weight = Math.exp(
      CHUNK_LOG_ODDS.length * Math.log(length + 20) +
        CHUNK_LOG_ODDS.anyWord * Math.sqrt(relevance) +
        CHUNK_LOG_ODDS.words * relevance +
        CHUNK_LOG_ODDS.near * near +
        CHUNK_LOG_ODDS.depth * (at / chunks.length) +
        (chunks[at + 1] ? 0 : CHUNK_LOG_ODDS.last),
    );
    return { chunk, length, weight };
  });
  const all = weighed.reduce((sum, { weight }) => sum + weight, 0);
  return weighed.map(({ chunk, length, weight }) => ({
    ...chunk,
    density: (score * weight) / (all * (length + CHUNK_COST)),
  }));
}
