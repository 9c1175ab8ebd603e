import { redactSecrets, type Embedder } from "@ccl/core";
import { throwIfAborted } from "@ccl/core/async";
import { callListener } from "@ccl/core/events";
import { AliasesError } from "../aliases-error.ts";
import type { AliasRegistry } from "../registry/alias-registry.ts";
import { readText, type FileFacts } from "./file-facts.ts";
import { surveyFiles, type PackEvent, type UnreadFile } from "./survey-files.ts";
import { scoreHistory, type FileHistory } from "./file-history.ts";
import { rankChunks, type RankableFile, type RankedChunk } from "./rank-chunks.ts";
import { scoreMeaning } from "./score-meaning.ts";
import { createTaskTerms } from "./task-words.ts";
import { scoreFiles, type ScoreSource } from "./score-files.ts";

/** The task to rank files for, and additional evidence. */
export interface RankOptions {
  registry: AliasRegistry;
  /** The task in the user's words, in English or Russian. */
  task: string;
  /** Aliases or paths that the work is about, in addition to those named in the task. */
  focus?: string[] | undefined;
  /** Earlier commits. Their subjects and changed files affect the ranking. */
  history?: FileHistory | undefined;
  /** Compares file names and declarations with the task. Its vectors are kept in the registry's cache. */
  embedder?: Embedder | undefined;
  signal?: AbortSignal | undefined;
  onEvent?: ((event: PackEvent) => void) | undefined;
}

/** A file in a ranking. */
export interface RankedFile extends ScoreSource {
  alias: string;
  path: string;
  sha8: string;
  /** 1-based. */
  rank: number;
  /** The best file scores 1. Comparable only within one answer. */
  score: number;
}

/** All files, best first, and the words of the task that no file contains. */
export interface FileRanking {
  files: RankedFile[];
  unmatched: string[];
}

/** A ranked file that was read. */
export interface ReadFile {
  file: RankedFile;
  /** The lines, with secrets masked. */
  lines: string[];
  /** Undefined for UTF-8. */
  encoding: string | undefined;
  chunks: RankedChunk[];
  isFocus: boolean;
}

/** A ranking with the data needed to build a pack. */
export interface DetailedRanking extends FileRanking {
  /** The best files, in the same order as in `files`. */
  read: ReadFile[];
  facts: ReadonlyMap<string, FileFacts>;
  omitted: UnreadFile[];
}

const MIN_READ_FILES = 40;

/**
 * Ranks a registry's files for a task, using the words in paths, names and text, the focus, and the
 * history.
 * @throws AliasesError `aborted`, `io_failed`
 */
export async function rankFiles(options: RankOptions): Promise<FileRanking> {
  const { files, unmatched } = await rankInDetail(options, { readChars: 0 });
  return { files, unmatched };
}

/** Ranks files and reads the best ones, until they total `readChars` characters. */
export async function rankInDetail(
  options: RankOptions,
  { readChars }: { readChars: number },
): Promise<DetailedRanking> {
  const { registry, signal } = options;
  const terms = createTaskTerms(options.task);
  const { task } = terms;
  const stats = await registry.stat({ signal });
  const [{ facts, omitted }, history] = await Promise.all([
    surveyFiles(stats, { ...options, terms }),
    options.history && scoreHistory(options.history, task),
  ]);
  const wanted = new Set(options.focus);
  const focus = new Set([
    ...facts.flatMap(({ alias, path }, at) => (wanted.has(alias) || wanted.has(path) ? [at] : [])),
    ...namedFiles(task, facts),
  ]);
  const { cache } = registry;
  const meaning =
    options.embedder &&
    (await scoreMeaning(facts, { task, embedder: options.embedder, cache, signal }));
  const { scores, unmatched } = await scoreFiles(facts, {
    task,
    focus: [...focus],
    history,
    meaning,
  });
  const order = [...facts.entries()]
    .map(([at, file]) => ({ at, file, score: scores[at]?.score ?? 0 }))
    .sort((a, b) => b.score - a.score || a.at - b.at);
  const read = new Map<number, Pick<ReadFile, "lines" | "encoding"> & RankableFile>();
  let chars = 0;
  for (const { at, file, score } of order) {
    if (read.size >= MIN_READ_FILES && chars >= readChars) break;
    const content = await readText(options, file);
    if (content === undefined) continue;
    chars += file.chars;
    const lines = redactSecrets(content.text).text.replace(/\n$/, "").split("\n");
    read.set(at, { path: file.path, score, lines, encoding: content.encoding });
    throwIfAborted(signal, AliasesError);
    callListener(options.onEvent, {
      type: "files_outlined",
      done: read.size,
      total: order.length,
    });
  }
  const chunked = await rankChunks([...read.values()], terms);
  const chunksOf = new Map([...read.keys()].map((at, place) => [at, chunked[place]]));
  // Rank files that were not read behind those that were.
  const lowest = Math.min(1, ...chunked.map(({ score }) => score));
  const best = order.find(({ at }) => !read.has(at))?.score ?? 1;
  const rated = order
    .map((file) => ({
      ...file,
      score: chunksOf.get(file.at)?.score ?? (lowest * file.score) / best,
    }))
    .sort((a, b) => b.score - a.score);
  const ranked = rated.flatMap(({ at, file, score }, index) => {
    const own = scores[at];
    if (own === undefined) return [];
    const { alias, path, sha256 } = file;
    const sha8 = sha256.slice(0, 8);
    return [{ at, file: { ...own, alias, path, sha8, rank: index + 1, score } }];
  });
  return {
    files: ranked.map(({ file }) => file),
    unmatched,
    omitted,
    facts: new Map(facts.map((file) => [file.alias, file])),
    read: ranked.flatMap(({ at, file }): ReadFile[] => {
      const { lines, encoding } = read.get(at) ?? {};
      const { chunks = [] } = chunksOf.get(at) ?? {};
      return lines === undefined ? [] : [{ file, lines, encoding, chunks, isFocus: focus.has(at) }];
    }),
  };
}

/** Maximum number of files that a name in a task may match. Names with more matches are ignored. */
const MAX_MEANT = 3;
const PATH = /[\p{L}\p{N}_@.+-]*[./][\p{L}\p{N}_@./+-]*/gu;

/**
 * Returns the indexes of the files that a task names. A name may be a path, an alias, the end of a
 * path, or a file name, as in a stack trace or `Add types to src/a.ts.`
 */
export function namedFiles(
  task: string,
  files: readonly { alias: string; path: string }[],
): number[] {
  const named = new Set<number>();
  for (const [word] of task.matchAll(PATH)) {
    const wanted = word.replace(/^(?:\.?\/)+|[./]+$/g, "");
    if (!/[^./]\.[^./]|\/|^\./.test(wanted)) continue;
    const exact = files.findIndex(({ alias, path }) => path === wanted || alias === wanted);
    const meant =
      exact >= 0
        ? [exact]
        : files.flatMap(({ path }, at) => (areSameEnd(path, wanted) ? [at] : []));
    if (meant.length <= MAX_MEANT) for (const at of meant) named.add(at);
  }
  return [...named];
}

/**
 * True if one path is the end of the other. A stack trace has full paths from another machine, and
 * people write only the last segments.
 */
function areSameEnd(path: string, wanted: string): boolean {
  return `/${path}`.endsWith(`/${wanted}`) || (path.includes("/") && wanted.endsWith(`/${path}`));
}
