import { assertNotAborted } from "../../plan-protocol-error.ts";

import { compareCodeUnits } from "@ccl/core";

import { isProtectedPath } from "../../paths/protected-name.ts";
import type { Folder } from "../file-system/folder.ts";
import { readBytes } from "../file-system/read-file.ts";
import { type IgnoreLayer, isIgnored, readIgnoreRules } from "./ignore-rules.ts";

/** Larger files are skipped. */
const MAX_FILE_BYTES = 2 * 1024 * 1024;
const MAX_TOTAL_BYTES = 512 * 1024 * 1024;
const MAX_FILES = 100_000;
const MAX_TIME_MS = 10_000;

/** Hits ordered by path and line, and the limit that ended the search early. */
export interface SearchOutcome {
  /** Lines are 1-based. */
  hits: { path: string; line: number; text: string }[];
  /** Undefined if all files were searched. */
  stoppedBy?: "hits" | "bytes" | "files" | "time" | undefined;
  searchedFiles: number;
}

/** Folders of generated or downloaded files. Protected names are skipped too. */
const GENERATED = new Set([
  ".venv",
  "venv",
  ".tox",
  ".mypy_cache",
  ".pytest_cache",
  ".turbo",
  ".next",
  "bower_components",
]);

/** A NUL in the first bytes marks a file as binary. */
const SNIFFED_BYTES = 8_000;

/** A larger `.gitignore` is not applied. */
const MAX_RULES_BYTES = 256 * 1024;

const MAX_DEPTH = 64;
const MAX_LINE_CHARACTERS = 200;

/**
 * Finds lines below a root that contain a string, literally and case-sensitively. Skips protected names, generated
 * folders, paths that a `.gitignore` at or below the root excludes, files over the limit and binary files. Does not
 * follow links. Paths are sorted by code units.
 */
export async function searchFiles(
  root: Folder,
  query: string,
  {
    isWanted,
    maxHits,
    signal,
  }: {
    isWanted: (path: string) => boolean;
    maxHits: number;
    signal: AbortSignal | undefined;
  },
): Promise<SearchOutcome> {
  const startedMs = performance.now();
  const hits: SearchOutcome["hits"] = [];
  let [searchedFiles, totalBytes] = [0, 0];
  const stop = (stoppedBy?: SearchOutcome["stoppedBy"]): SearchOutcome => ({
    hits,
    searchedFiles,
    stoppedBy,
  });
  for await (const { folder, name, path, isFolder } of entriesBelow(root, "", [])) {
    assertNotAborted(signal);
    if (performance.now() - startedMs > MAX_TIME_MS) return stop("time");
    if (isFolder || !isWanted(path)) continue;
    if (searchedFiles >= MAX_FILES) return stop("files");
    const bytes = await readBytes(folder, name, MAX_FILE_BYTES).catch(() => undefined);
    if (bytes === undefined) continue;
    searchedFiles += 1;
    totalBytes += bytes.length;
    if (totalBytes > MAX_TOTAL_BYTES) return stop("bytes");
    for (const hit of hitsIn(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length), query)) {
      if (hits.length >= maxHits) return stop("hits");
      hits.push({ path, ...hit });
    }
  }
  return stop();
}

interface Entry {
  folder: Folder;
  name: string;
  path: string;
  isFolder: boolean;
}

/** Yields a folder's files and folders to search, each before its own entries, sorted as whole paths. */
async function* entriesBelow(
  folder: Folder,
  above: string,
  outer: readonly IgnoreLayer[],
): AsyncGenerator<Entry> {
  const rules = readIgnoreRules(await textOf(folder, ".gitignore"));
  const layers = rules.length === 0 ? outer : [...outer, { folder: above, rules }];
  for (const { name, isFolder } of await entriesIn(folder)) {
    const path = above === "" ? name : `${above}/${name}`;
    if (isIgnored(layers, { path, name, isFolder })) continue;
    yield { folder, name, path, isFolder };
    if (!isFolder || path.split("/").length > MAX_DEPTH) continue;
    const inner = await folder.openFolder(name).catch(() => undefined);
    if (inner === undefined) continue;
    try {
      yield* entriesBelow(inner, path, layers);
    } finally {
      await inner.close();
    }
  }
}

/** Returns files and folders to search. A folder's name sorts with its slash. */
async function entriesIn(folder: Folder): Promise<Pick<Entry, "name" | "isFolder">[]> {
  const entries: { name: string; isFolder: boolean; key: string }[] = [];
  for (const name of await folder.list().catch(() => [])) {
    if (isProtectedPath(name) || GENERATED.has(name) || name.startsWith(".ccl")) continue;
    const kind = (await folder.status(name).catch(() => undefined))?.kind;
    if (kind === "file") entries.push({ name, isFolder: false, key: name });
    if (kind === "folder") entries.push({ name, isFolder: true, key: `${name}/` });
  }
  return entries.toSorted((a, b) => compareCodeUnits(a.key, b.key));
}

/** Returns "" if no such file exists. */
async function textOf(folder: Folder, name: string): Promise<string> {
  const bytes = await readBytes(folder, name, MAX_RULES_BYTES).catch(() => undefined);
  return new TextDecoder().decode(bytes);
}

/** Yields the lines that contain the query. A binary file has none. */
function* hitsIn(bytes: Buffer, query: string): Generator<{ line: number; text: string }> {
  if (!bytes.includes(query) || bytes.subarray(0, SNIFFED_BYTES).includes(0)) return;
  const text = bytes.toString();
  let line = 1;
  let counted = 0;
  for (let at = text.indexOf(query); at >= 0;) {
    line += text.slice(counted, at).split("\n").length - 1;
    counted = at;
    const start = text.lastIndexOf("\n", at - 1) + 1;
    const feed = text.indexOf("\n", at);
    const end = feed < 0 ? text.length : feed;
    yield { line, text: textAround(text.slice(start, end).trimEnd(), at - start) };
    // Continue on the next line.
    at = text.indexOf(query, Math.max(end, at + 1));
  }
}

/** Returns the hit's line, or the part around the hit if the line is long. */
function textAround(line: string, hitAt: number): string {
  if (line.length <= MAX_LINE_CHARACTERS) return line;
  const from = hitAt < MAX_LINE_CHARACTERS / 2 ? 0 : hitAt - MAX_LINE_CHARACTERS / 4;
  const to = from + MAX_LINE_CHARACTERS;
  return `${from > 0 ? "..." : ""}${line.slice(from, to)}${to < line.length ? "..." : ""}`;
}
