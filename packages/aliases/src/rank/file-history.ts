import { createSearchIndex } from "@ccl/search";

import { analyzer, MAX_TASK_CHARS } from "./task-words.ts";

/** One commit: what its author wrote on the first line, and the paths that it changed. */
export interface HistoryCommit {
  subject: string;
  files: string[];
}

/** What was done before, the newest commit first; a source of a version control system. */
export interface FileHistory {
  commits(): AsyncIterable<HistoryCommit>;
}

const MAX_COMMITS = 1_500;
/** A commit that changes more files says nothing about any of them. */
const MAX_FILES = 20;
const SIMILAR_COMMITS = 30;
/** After so many commits an edit counts half. */
const HALF_LIFE = 100;

/** By path, how far its earlier commits speak for it. */
export interface HistoryScores {
  /** Those that were asked for alike; the best file has 1. */
  similar: Map<string, number>;
  /** How many there are, old ones counting less. */
  recent: Map<string, number>;
  /** By path, the subject of the commit closest to the task. */
  subjects: Map<string, string>;
}

/** Reads a history and scores the files that it names for a task. */
export async function scoreHistory(history: FileHistory, task: string): Promise<HistoryScores> {
  const commits: HistoryCommit[] = [];
  for await (const commit of history.commits()) {
    if (commits.push(commit) >= MAX_COMMITS) break;
  }
  const useful = commits.map(({ subject, files }) => ({
    subject,
    files: files.length > MAX_FILES ? [] : files,
  }));
  const similar = new Map<string, number>();
  const recent = new Map<string, number>();
  const add = (to: Map<string, number>, files: string[], score: number): void => {
    for (const path of files) to.set(path, (to.get(path) ?? 0) + score);
  };
  const index = createSearchIndex({ fields: { subject: 1 }, analyzer });
  await index.put(useful.map(({ subject }, at) => ({ id: String(at), texts: { subject } })));
  const { hits } = index.searchText({
    text: task.slice(0, MAX_TASK_CHARS),
    limit: SIMILAR_COMMITS,
  });
  const subjects = new Map<string, string>();
  for (const { id, score } of hits) {
    const { files = [], subject = "" } = useful[Number(id)] ?? {};
    add(similar, files, score / Math.sqrt(files.length));
    for (const path of files) if (!subjects.has(path)) subjects.set(path, subject);
  }
  for (const [age, { files }] of useful.entries()) add(recent, files, 0.5 ** (age / HALF_LIFE));
  return { similar: toShares(similar), recent, subjects };
}

function toShares(scores: Map<string, number>): Map<string, number> {
  const best = Math.max(...scores.values());
  return new Map([...scores].map(([path, score]) => [path, score / best]));
}
