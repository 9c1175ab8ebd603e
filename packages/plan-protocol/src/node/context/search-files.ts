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

/** A line containing the query. */
interface SearchHit {
  path: string;
  /** 1-based. */
  line: number;
  text: string;
}

/** Hits ordered by path and line, and the limit that ended the search early. */
export interface SearchOutcome {
  hits: SearchHit[];
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

interface SearchOptions {
  isWanted: (path: string) => boolean;
  maxHits: number;
  signal: AbortSignal | undefined;
}

interface Search extends SearchOptions {
  query: string;
  hits: SearchHit[];
  files: number;
  bytes: number;
  startedMs: number;
  stoppedBy?: SearchOutcome["stoppedBy"] | undefined;
}

/**
 * Finds lines below a root that contain a string, literally and case-sensitively. Skips protected names, generated
 * folders, paths that a `.gitignore` at or below the root excludes, files over the limit and binary files. Does not
 * follow links. Paths are sorted by code units.
 */
export async function searchFiles(
  root: Folder,
  query: string,
  options: SearchOptions,
): Promise<SearchOutcome> {
  const startedMs = performance.now();
  const search: Search = { ...options, query, hits: [], files: 0, bytes: 0, startedMs };
  await searchFolder(search, root, { path: "", depth: 0, layers: [] });
  const { hits, files, stoppedBy } = search;
  return { hits, searchedFiles: files, stoppedBy };
}

async function searchFolder(
  search: Search,
  folder: Folder,
  { path, depth, layers: above }: { path: string; depth: number; layers: readonly IgnoreLayer[] },
): Promise<void> {
  const rules = readIgnoreRules(await textOf(folder, ".gitignore"));
  const layers = rules.length === 0 ? above : [...above, { folder: path, rules }];
  for (const { name, isFolder } of await entriesIn(folder)) {
    assertNotAborted(search.signal);
    if (performance.now() - search.startedMs > MAX_TIME_MS) search.stoppedBy = "time";
    if (search.stoppedBy !== undefined) return;
    const below = path === "" ? name : `${path}/${name}`;
    if (isIgnored(layers, { path: below, name, isFolder })) continue;
    if (!isFolder) {
      if (search.isWanted(below)) await searchFile(search, folder, { name, path: below });
      continue;
    }
    const inner =
      depth < MAX_DEPTH ? await folder.openFolder(name).catch(() => undefined) : undefined;
    const place = { path: below, depth: depth + 1, layers };
    if (inner !== undefined) await searchFolder(search, inner, place).finally(() => inner.close());
  }
}

interface Entry {
  name: string;
  isFolder: boolean;
}

/** Returns files and folders to search, sorted as whole paths: a folder's name sorts with its slash. */
async function entriesIn(folder: Folder): Promise<Entry[]> {
  const entries: Entry[] = [];
  for (const name of await folder.list().catch(() => [])) {
    if (isProtectedPath(name) || GENERATED.has(name) || name.startsWith(".ccl")) continue;
    const kind = (await folder.status(name).catch(() => undefined))?.kind;
    if (kind === "file" || kind === "folder") entries.push({ name, isFolder: kind === "folder" });
  }
  const key = ({ name, isFolder }: Entry): string => (isFolder ? `${name}/` : name);
  return entries.toSorted((a, b) => compareCodeUnits(key(a), key(b)));
}

/** Returns "" if no such file exists. */
async function textOf(folder: Folder, name: string): Promise<string> {
  const bytes = await readBytes(folder, name, MAX_RULES_BYTES).catch(() => undefined);
  return new TextDecoder().decode(bytes);
}

async function searchFile(
  search: Search,
  folder: Folder,
  { name, path }: { name: string; path: string },
): Promise<void> {
  if (search.files >= MAX_FILES) {
    search.stoppedBy = "files";
    return;
  }
  const bytes = await readBytes(folder, name, MAX_FILE_BYTES).catch(() => undefined);
  if (bytes === undefined) return;
  search.files += 1;
  search.bytes += bytes.length;
  if (search.bytes > MAX_TOTAL_BYTES) search.stoppedBy = "bytes";
  else collectHits(search, path, Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length));
}

function collectHits(search: Search, path: string, bytes: Buffer): void {
  const { query, hits, maxHits } = search;
  if (!bytes.includes(query) || bytes.subarray(0, SNIFFED_BYTES).includes(0)) return;
  const text = bytes.toString();
  let line = 1;
  let counted = 0;
  for (let at = text.indexOf(query); at >= 0;) {
    if (hits.length >= maxHits) {
      search.stoppedBy = "hits";
      return;
    }
    line += text.slice(counted, at).split("\n").length - 1;
    counted = at;
    const start = text.lastIndexOf("\n", at - 1) + 1;
    const feed = text.indexOf("\n", at);
    const end = feed < 0 ? text.length : feed;
    hits.push({ path, line, text: textAround(text.slice(start, end).trimEnd(), at - start) });
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
