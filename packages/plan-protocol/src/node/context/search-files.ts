import { assertNotAborted } from "../../plan-protocol-error.ts";
import fs, { constants } from "node:fs";

import { compareCodeUnits } from "@ccl/core";

import { isProtectedPath } from "../../paths/protected-name.ts";
import { hasFolderHandles } from "../file-system/node-folder.ts";
import { takeTurn } from "../file-system/take-turn.ts";
import { type IgnoreLayer, isIgnored, readIgnoreRules } from "./ignore-rules.ts";

/** Larger files are skipped. */
const MAX_FILE_BYTES = 2 * 1024 * 1024;
const MAX_TOTAL_BYTES = 512 * 1024 * 1024;
const MAX_FILES = 100_000;
const MAX_TIME_MS = 10_000;

/** A line that contains the query. */
interface SearchHit {
  path: string;
  /** From 1. */
  line: number;
  text: string;
}

/** Hits by path and line, and the limit that ended the search early. */
export interface SearchOutcome {
  hits: SearchHit[];
  /** Undefined if all files were searched. */
  stoppedBy?: "hits" | "bytes" | "files" | "time" | undefined;
  searchedFiles: number;
}

/** Folders of generated or downloaded files. Protected names are skipped as well. */
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

/** A NUL within these bytes marks a file as binary. */
const SNIFFED_BYTES = 8_000;

/** A larger `.gitignore` is not applied. */
const MAX_RULES_BYTES = 256 * 1024;

const MAX_DEPTH = 64;
const MAX_LINE_CHARACTERS = 200;
const noFollow = constants.O_NOFOLLOW ?? 0;
const fileFlags = constants.O_RDONLY | noFollow | (constants.O_NONBLOCK ?? 0);
const folderFlags = constants.O_RDONLY | noFollow | (constants.O_DIRECTORY ?? 0);

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
 * Finds lines that contain a text below a root, literally and case-sensitively. It skips protected names, generated
 * folders, paths that a `.gitignore` at or below the root excludes, files over the limit and binary files. It does not
 * follow links. Paths are sorted by code units.
 */
export async function searchFiles(
  rootPath: string,
  query: string,
  options: SearchOptions,
): Promise<SearchOutcome> {
  const startedMs = performance.now();
  const search: Search = { ...options, query, hits: [], files: 0, bytes: 0, startedMs };
  await searchFolder(search, rootPath, { path: "", depth: 0, layers: [] });
  const { hits, files, stoppedBy } = search;
  return { hits, searchedFiles: files, stoppedBy };
}

/** Uses synchronous calls. The thread pool would cost several times the work itself. */
async function searchFolder(
  search: Search,
  place: string,
  { path, depth, layers: above }: { path: string; depth: number; layers: readonly IgnoreLayer[] },
): Promise<void> {
  const folder = openQuietly(place, folderFlags);
  if (folder === undefined) return;
  try {
    const here = hasFolderHandles ? `/proc/self/fd/${folder}` : place;
    const entries = readQuietly(here).toSorted((a, b) => compareAsPaths(a, b));
    const layers = withOwnLayer(above, { here, path, entries });
    for (const entry of entries) {
      if (search.stoppedBy !== undefined) return;
      const below = path === "" ? entry.name : `${path}/${entry.name}`;
      const isLeftOut =
        isProtectedPath(entry.name) ||
        GENERATED.has(entry.name) ||
        entry.name.startsWith(".ccl") ||
        isIgnored(layers, { path: below, name: entry.name, isFolder: entry.isDirectory() });
      if (isLeftOut) continue;
      if (entry.isDirectory() && depth < MAX_DEPTH)
        await searchFolder(search, `${here}/${entry.name}`, {
          path: below,
          depth: depth + 1,
          layers,
        });
      else if (entry.isFile() && search.isWanted(below)) {
        searchFile(search, `${here}/${entry.name}`, below);
        await endTurn(search);
      }
    }
  } finally {
    fs.closeSync(folder);
  }
}

async function endTurn(search: Search): Promise<void> {
  if (performance.now() - search.startedMs > MAX_TIME_MS) search.stoppedBy = "time";
  await takeTurn();
  assertNotAborted(search.signal);
}

function withOwnLayer(
  layers: readonly IgnoreLayer[],
  { here, path, entries }: { here: string; path: string; entries: readonly fs.Dirent[] },
): readonly IgnoreLayer[] {
  const hasRules = entries.some((entry) => entry.name === ".gitignore" && entry.isFile());
  const bytes = hasRules ? readSmall(`${here}/.gitignore`, MAX_RULES_BYTES) : undefined;
  const rules = readIgnoreRules(bytes?.toString() ?? "");
  return rules.length === 0 ? layers : [...layers, { folder: path, rules }];
}

/** Sorts like whole paths: a folder's name counts with its slash. */
function compareAsPaths(a: fs.Dirent, b: fs.Dirent): number {
  const left = a.isDirectory() ? `${a.name}/` : a.name;
  const right = b.isDirectory() ? `${b.name}/` : b.name;
  return compareCodeUnits(left, right);
}

function searchFile(search: Search, place: string, path: string): void {
  if (search.files >= MAX_FILES) {
    search.stoppedBy = "files";
    return;
  }
  const bytes = readSmall(place, MAX_FILE_BYTES);
  if (bytes === undefined) return;
  search.files += 1;
  search.bytes += bytes.length;
  if (search.bytes > MAX_TOTAL_BYTES) search.stoppedBy = "bytes";
  else collectHits(search, path, bytes);
}

/** The bytes of a regular file up to a size. Undefined if it is larger or cannot be read. */
function readSmall(place: string, maxBytes: number): Buffer | undefined {
  const file = openQuietly(place, fileFlags);
  if (file === undefined) return undefined;
  try {
    const { size } = fs.fstatSync(file);
    if (size > maxBytes) return undefined;
    const bytes = Buffer.allocUnsafe(size);
    return bytes.subarray(0, fs.readSync(file, bytes, 0, size, 0));
  } catch {
    return undefined;
  } finally {
    fs.closeSync(file);
  }
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

/** The line of a hit, or the part around the hit if the line is long. */
function textAround(line: string, hitAt: number): string {
  if (line.length <= MAX_LINE_CHARACTERS) return line;
  const from = hitAt < MAX_LINE_CHARACTERS / 2 ? 0 : hitAt - MAX_LINE_CHARACTERS / 4;
  const to = from + MAX_LINE_CHARACTERS;
  return `${from > 0 ? "..." : ""}${line.slice(from, to)}${to < line.length ? "..." : ""}`;
}

function openQuietly(place: string, flags: number): number | undefined {
  try {
    return fs.openSync(place, flags);
  } catch {
    return undefined;
  }
}

function readQuietly(place: string): fs.Dirent[] {
  try {
    return fs.readdirSync(place, { withFileTypes: true });
  } catch {
    return [];
  }
}
