import { createSearchIndex, splitWords, type TextWeights } from "@ccl/search";
import { aliasPrefix } from "../registry/alias-prefix.ts";
import type { HistoryScores } from "./file-history.ts";
import { analyzer, countWords } from "./task-words.ts";

/** A file to be ranked. */
export interface RankInput {
  alias: string;
  path: string;
  /** Number of occurrences in the text of each term of the task. */
  counts: ReadonlyMap<string, number>;
  /** Length of the text in UTF-16 units. */
  chars: number;
  /** Names declared in the file, separated by spaces. */
  declarations: string;
}

/** The task and additional evidence. */
interface ScoreOptions {
  task: string;
  /** Indexes of the files that the work is about. */
  focus?: number[] | undefined;
  history?: HistoryScores | undefined;
  /** How close the embedder considers each file to the task, 0..1. */
  meaning?: number[] | undefined;
}

/** What contributes to a file's score. */
type RankReason = "focus" | "words" | "meaning" | "history" | "kind";

/** The components of a file's score. */
export interface ScoreSource {
  /** Words of the task that occur in the file, as written in the task. */
  matched: string[];
  /** The largest contribution to the score. */
  reason: RankReason;
  /** Share of each reason. They sum to 1. Shares below 0.01 are omitted. */
  parts: Partial<Record<RankReason, number>>;
  /** Subject of the commit that changed the file and is closest to the task. */
  commit?: string | undefined;
  /**
   * False if the task starts with the name of another part of the project, such as `router: ...`.
   */
  isInScope?: boolean | undefined;
}

/** The score of a file with its components. */
interface FileScore extends ScoreSource {
  /**
   * How likely the task is to edit the file, above 0. Only ratios within one answer are meaningful.
   */
  score: number;
}

/** The score of each file, and the words of the task that no file contains. */
interface FileScores {
  scores: FileScore[];
  unmatched: string[];
}

/** A word counts more in a path than in a name, and more in a name than in the text. */
const WEIGHTS = {
  fields: { path: 8, declarations: 3, text: 1 },
  lengthDiscounts: { path: 0.3, declarations: 0.5, text: 0.6 },
};
/** A word that occurs in few paths supports those files, regardless of their content. */
const PATH_WEIGHTS = { fields: { path: 1 }, lengthDiscounts: { path: 0.3 } };

/**
 * How much each reason adds to a file's log-odds. The values come from a conditional logit model of
 * the files edited by 250 commits in nine repositories. The weights of words and history were
 * adjusted by hand.
 */
const LOG_ODDS = {
  words: 2.8,
  path: 1.5,
  meaning: 2,
  similar: 1.6,
  recent: 1,
  part: 1.2,
  askedKind: 1.25,
};
const FOCUS_LOG_ODDS = 20;

/** Scores files for a task by words, focus and history. Scores every file, so that the order is total. */
export async function scoreFiles(files: RankInput[], options: ScoreOptions): Promise<FileScores> {
  const { task, history } = options;
  const paths = files.map(({ path }) => path);
  const { words, matched, unmatched } = await scoreWords(files, task, WEIGHTS);
  const bare = files.map((file) => ({ ...file, declarations: "" }));
  const { words: inPath } = await scoreWords(bare, task, PATH_WEIGHTS);
  const focus = new Set(options.focus);
  const wanted = wantedKinds(task);
  const isInPart = inNamedPart(paths, task);
  const scores = files.map((file, at): FileScore => {
    const similar = Math.sqrt(history?.similar.get(file.path) ?? 0);
    const recent = history?.recent.get(file.path) ?? 0;
    const parts: [RankReason, number][] = [
      ["words", LOG_ODDS.words * Math.sqrt(words[at] ?? 0) + LOG_ODDS.path * (inPath[at] ?? 0)],
      ["meaning", LOG_ODDS.meaning * (options.meaning?.[at] ?? 0)],
      // The only reason for files without other evidence.
      ["kind", 0.01],
      ["history", LOG_ODDS.similar * similar + LOG_ODDS.recent * recent],
      ["focus", focus.has(at) ? FOCUS_LOG_ODDS : 0],
    ];
    const [reason] = parts.reduce((best, part) => (part[1] > best[1] ? part : best));
    const sum = parts.reduce((all, part) => all + part[1], 0);
    const shares = parts.map(([name, part]): [RankReason, number] => [name, round(part / sum)]);
    return {
      score: Math.exp(
        sum + kindLogOdds(file, wanted) + (isInPart?.[at] === true ? LOG_ODDS.part : 0),
      ),
      matched: matched[at] ?? [],
      reason,
      parts: Object.fromEntries(shares.filter(([, share]) => share > 0)),
      commit: history?.subjects.get(file.path),
      isInScope: isInPart?.[at] ?? true,
    };
  });
  return { scores, unmatched };
}

const round = (share: number): number => Math.round(share * 100) / 100;

const FILES_A_PART = 1000;

/** Scores files by the words of the task. The best file scores 1. */
async function scoreWords(
  files: readonly Pick<RankInput, "path" | "declarations" | "chars" | "counts">[],
  task: string,
  weights: TextWeights,
): Promise<{ words: Float64Array; matched: string[][]; unmatched: string[] }> {
  const index = createSearchIndex({ ...weights, analyzer });
  // Indexed in batches, because the words of all files together take more memory than the index.
  for (let start = 0; start < files.length; start += FILES_A_PART)
    await index.put(
      files.slice(start, start + FILES_A_PART).map((file, at) => ({
        id: String(start + at),
        texts: {
          path: countWords(splitPath(file.path)),
          declarations: countWords(file.declarations),
          text: { length: file.chars, counts: file.counts },
        },
      })),
    );
  const found = index.searchText({ text: task, limit: files.length });
  const words = new Float64Array(files.length);
  const matched: string[][] = files.map(() => []);
  const missing = new Set(found.unmatchedTerms);
  for (const { id, score, parts = {} } of found.hits) {
    words[Number(id)] = score / (found.hits[0]?.score ?? 1);
    // A word that is only similar to a word of the task does not count as a match.
    matched[Number(id)] = Object.keys(parts).filter((word) => !missing.has(word));
  }
  return { words, matched, unmatched: found.unmatchedTerms };
}

/** Splits a path into words. The last segment counts twice, because a file's name says more than its folders. */
function splitPath(path: string): string {
  const segments = path.split("/");
  return [...segments, segments.at(-1) ?? ""].join(" ").replaceAll(".", " ");
}

type FileKind = "code" | "test" | "doc" | "other";

function kindOf(alias: string): FileKind {
  const prefix = aliasPrefix(alias);
  if (prefix === "T") return "test";
  if (prefix === "D" || prefix === "A") return "doc";
  return prefix === "H" || prefix === "S" || prefix === "P" ? "code" : "other";
}

/** Words that indicate a kind of file. For example, a task about documentation prefers documents. */
const KIND_WORDS: [kind: FileKind, words: string][] = [
  ["test", "test tests testing spec specs coverage"],
  [
    "doc",
    "doc docs documentation document readme changelog guide tutorial example examples typo typos grammar spelling wording",
  ],
  [
    "other",
    "config configuration deps dependency dependencies ci build builds release lint linter bump upgrade workflow workflows action actions pin",
  ],
];

function wantedKinds(task: string): Set<FileKind> {
  const terms = new Set(splitWords(task, 500).flatMap(({ parts }) => parts));
  const wanted = KIND_WORDS.filter(([, words]) => words.split(" ").some((word) => terms.has(word)));
  return new Set(wanted.map(([kind]) => kind));
}

const KIND_LOG_ODDS: Record<FileKind, number> = { code: 0, test: -0.2, doc: -0.4, other: 0.6 };
/** Files that are generated by tools and not edited by people. */
const GENERATED =
  /(?:^|\/)(?:[^/]+\.(?:lock|lockb|min\.\w+|map|snap)|[\w-]+[.-]lock\.(?:json|ya?ml)|go\.sum)$/;
const GENERATED_LOG_ODDS = -3;

function kindLogOdds(file: RankInput, wanted: Set<FileKind>): number {
  if (GENERATED.test(file.path)) return GENERATED_LOG_ODDS;
  const kind = kindOf(file.alias);
  return KIND_LOG_ODDS[kind] + (wanted.has(kind) ? LOG_ODDS.askedKind : 0);
}

/** Matches the part of the project at the start of a task: `router: ...`, `fix(router): ...`, `core, cli: ...`. */
const SCOPE = /^(?:[\w-]+\(([^)]{1,60})\)!?|([\w@/-]+(?:, ?[\w@/-]+){0,3})!?):\s/;

/**
 * Returns whether each path has a segment equal to the part of the project that the task names.
 * Returns undefined if none has.
 */
export function inNamedPart(paths: readonly string[], task: string): boolean[] | undefined {
  const [, inParentheses, before = ""] = SCOPE.exec(task) ?? [];
  const names = new Set((inParentheses ?? before).split(/[,\s/]+/).map(fold));
  names.delete("");
  const isInside = paths.map((path) =>
    path.split("/").some((segment) => names.has(fold(segment.replace(/(?<=.)\..*$/, "")))),
  );
  return isInside.includes(true) ? isInside : undefined;
}

function fold(name: string): string {
  return name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, "");
}
