import { createSearchIndex } from "@ccl/search";

import { analyzer } from "./task-words.ts";

/** A commit: the first line of its message, and the paths it changed. */
export interface HistoryCommit {
  subject: string;
  files: string[];
}

/** Earlier commits, newest first. Provided by the version control system. */
export interface FileHistory {
  commits(): AsyncIterable<HistoryCommit>;
}

const MAX_COMMITS = 1_500;
/** A commit that changes more files than this does not affect their ranking. */
const MAX_FILES = 20;
const SIMILAR_COMMITS = 30;
/** Number of commits after which the last edit of a file counts half as much. */
const HALF_LIFE = 20;

/** How strongly earlier commits support each file. The maps are keyed by path. */
export interface HistoryScores {
  /** Support from commits with similar subjects. The best file scores 1. */
  similar: Map<string, number>;
  /** Recency of the last commit that changed the file. 1 for the newest commit. */
  recent: Map<string, number>;
  /** Subject of the commit closest to the task, by path. */
  subjects: Map<string, string>;
}

/** Reads a history and scores the files in it for a task. */
export async function scoreHistory(history: FileHistory, task: string): Promise<HistoryScores> {
  const commits: HistoryCommit[] = [];
  for await (const { subject, files } of history.commits())
    if (commits.push({ subject, files: files.length > MAX_FILES ? [] : files }) >= MAX_COMMITS)
      break;
  const similar = new Map<string, number>();
  const recent = new Map<string, number>();
  const index = createSearchIndex({ fields: { subject: 1 }, analyzer });
  await index.put(commits.map(({ subject }, at) => ({ id: String(at), texts: { subject } })));
  const { hits } = index.searchText({
    text: task,
    limit: SIMILAR_COMMITS,
  });
  const subjects = new Map<string, string>();
  for (const { id, score } of hits) {
    const { files = [], subject = "" } = commits[Number(id)] ?? {};
    for (const path of files) {
      similar.set(path, (similar.get(path) ?? 0) + score / Math.sqrt(files.length));
      if (!subjects.has(path)) subjects.set(path, subject);
    }
  }
  for (const [age, { files }] of commits.entries())
    for (const path of files)
      if (!recent.has(path)) recent.set(path, HALF_LIFE / (HALF_LIFE + age));
  return { similar: toShares(similar), recent, subjects };
}

function toShares(scores: Map<string, number>): Map<string, number> {
  const best = Math.max(...scores.values());
  return new Map([...scores].map(([path, score]) => [path, score / best]));
}
