import { redactSecrets, type Embedder } from "@ccl/core";
import { throwIfAborted } from "@ccl/core/async";
import { callListener } from "@ccl/core/events";

import { AliasesError } from "../aliases-error.ts";
import type { AliasRegistry } from "../registry/alias-registry.ts";
import type { FileFacts } from "../survey/file-facts.ts";
import {
  createFileReader,
  surveyFiles,
  type FileReader,
  type PackEvent,
  type UnreadFile,
} from "../survey/survey-files.ts";
import { scoreHistory, type FileHistory } from "./file-history.ts";
import { isManifest, readModuleNames, type ModuleName } from "./module-names.ts";
import { rankChunks, type RankedChunk } from "./rank-chunks.ts";
import { scoreMeaning } from "./score-meaning.ts";
import { createTaskTerms, MAX_TASK_CHARS } from "./task-words.ts";
import { scoreFiles, type FileScore, type ScoreSource } from "./score-files.ts";

/** What to rank files for. */
export interface RankOptions {
  registry: AliasRegistry;
  /** What is to be done, in the user's words, English or Russian. */
  task: string;
  /** Aliases or paths that the work is about; their neighbours in the import graph are ranked up. */
  focus?: string[] | undefined;
  /** Earlier commits: their subjects and what they changed rank files too. */
  history?: FileHistory | undefined;
  /** Compares what files are called and declare with the task; vectors are kept in the registry's cache. */
  embedder?: Embedder | undefined;
  signal?: AbortSignal | undefined;
  onEvent?: ((event: PackEvent) => void) | undefined;
}

/** One file in the order of a task. */
export interface RankedFile extends ScoreSource {
  alias: string;
  path: string;
  sha8: string;
  /** From 1. */
  rank: number;
  /** The best file has 1; comparable within one answer. */
  score: number;
}

/** All files, best first, and the words of the task that were found in none. */
export interface FileRanking {
  files: RankedFile[];
  unmatched: string[];
}

/** A ranked file whose content was looked into. */
export interface ReadFile {
  file: RankedFile;
  /** Secrets are masked. */
  lines: string[];
  /** Where the bytes are not UTF-8. */
  encoding: string | undefined;
  chunks: RankedChunk[];
  isFocus: boolean;
}

/** A ranking with what a pack is made from. */
export interface DetailedRanking extends FileRanking {
  /** The best files, in the order of `files`. */
  read: ReadFile[];
  facts: ReadonlyMap<string, FileFacts>;
  omitted: UnreadFile[];
}

const MIN_READ_FILES = 40;
const MAX_READ_FILES = 400;
const MAX_MANIFEST_CHARS = 200_000;

/**
 * Ranks the files of a registry for a task by the words in paths, names and texts, imports, focus and history.
 * @throws AliasesError `aborted`, `io_failed`.
 */
export async function rankFiles(options: RankOptions): Promise<FileRanking> {
  const { files, unmatched } = await rankInDetail(options, { readChars: 0 });
  return { files, unmatched };
}

/** Ranks, and reads the best files until they have so many characters together. */
export async function rankInDetail(
  options: RankOptions,
  { readChars }: { readChars: number },
): Promise<DetailedRanking> {
  const { registry, task, signal } = options;
  const reader = createFileReader(options);
  const stats = await registry.stat(signal && { signal });
  const [{ facts, omitted }, history] = await Promise.all([
    surveyFiles(stats, {
      ...options,
      reader,
      terms: createTaskTerms(task.slice(0, MAX_TASK_CHARS)),
    }),
    options.history && scoreHistory(options.history, task),
  ]);
  const wanted = new Set(options.focus);
  const isFocus = ({ alias, path }: FileFacts): boolean => wanted.has(alias) || wanted.has(path);
  const focus = facts.flatMap((file, at) => (isFocus(file) ? [at] : []));
  const { cache } = registry;
  const meaning =
    options.embedder &&
    (await scoreMeaning(facts, { task, embedder: options.embedder, cache, signal }));
  const names = await readNames(facts, reader);
  const { scores, unmatched } = await scoreFiles(facts, { task, focus, history, meaning, names });
  const order = [...facts.keys()].sort((a, b) => scoreAt(scores, b) - scoreAt(scores, a) || a - b);
  const read: (Pick<ReadFile, "lines" | "encoding" | "isFocus"> & { at: number })[] = [];
  let chars = 0;
  for (const at of order) {
    const file = facts[at];
    if (file === undefined || isEnough(read.length, chars, readChars)) break;
    const content = await reader.read(file);
    if (content === undefined) continue;
    chars += file.chars;
    const lines = redactSecrets(content.text).text.replace(/\n$/, "").split("\n");
    read.push({ at, lines, encoding: content.encoding, isFocus: isFocus(file) });
    throwIfAborted(signal, AliasesError);
    callListener(options.onEvent, {
      type: "files_outlined",
      done: read.length,
      total: order.length,
    });
  }
  const rankable = read.map(({ at, lines }) => {
    return { path: facts[at]?.path ?? "", lines, score: scoreAt(scores, at) };
  });
  const chunked = await rankChunks(rankable, task);
  const places = [...read.keys()].sort(
    (a, b) => (chunked[b]?.score ?? 0) - (chunked[a]?.score ?? 0) || a - b,
  );
  const seen = new Set(read.map(({ at }) => at));
  const final = [
    ...places.map((place) => read[place]?.at ?? 0),
    ...order.filter((at) => !seen.has(at)),
  ];
  // What was not looked into stays behind what was.
  const lowest = Math.min(1, ...chunked.map(({ score }) => score));
  const best = scoreAt(scores, order[read.length] ?? -1);
  const files = final.flatMap((at, index): RankedFile[] => {
    const file = facts[at];
    const own = scores[at];
    if (file === undefined || own === undefined) return [];
    const place = places[index];
    const score = place === undefined ? (lowest * own.score) / best : (chunked[place]?.score ?? 0);
    const { alias, path, sha256 } = file;
    return [{ ...own, alias, path, sha8: sha256.slice(0, 8), rank: index + 1, score }];
  });
  return {
    files,
    unmatched,
    omitted,
    facts: new Map(facts.map((file) => [file.alias, file])),
    read: places.flatMap((place, index): ReadFile[] => {
      const file = files[index];
      const { lines = [], encoding, isFocus: inFocus = false } = read[place] ?? {};
      const { chunks = [] } = chunked[place] ?? {};
      return file === undefined ? [] : [{ file, lines, encoding, chunks, isFocus: inFocus }];
    }),
  };
}

async function readNames(facts: readonly FileFacts[], reader: FileReader): Promise<ModuleName[]> {
  const manifests: { path: string; text: string }[] = [];
  for (const file of facts) {
    if (!isManifest(file.path) || file.chars > MAX_MANIFEST_CHARS) continue;
    const content = await reader.read(file);
    if (content !== undefined) manifests.push(content);
  }
  return readModuleNames(manifests);
}

function isEnough(count: number, chars: number, wanted: number): boolean {
  return count >= MAX_READ_FILES || (count >= MIN_READ_FILES && chars >= wanted);
}

function scoreAt(scores: readonly FileScore[], at: number): number {
  return scores[at]?.score ?? 0;
}
