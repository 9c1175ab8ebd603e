import { assertNotAborted } from "../../plan-protocol-error.ts";
import fs, { constants } from "node:fs";

import { compareCodeUnits } from "@ccl/core";

import { isProtectedPath } from "../../paths/protected-name.ts";
import { hasFolderHandles } from "../file-system/node-folder.ts";
import { takeTurn } from "../file-system/take-turn.ts";
import { type IgnoreLayer, isIgnored, readIgnoreRules } from "./ignore-rules.ts";

/** Limits of a search. */
export interface SearchLimits {
  maxHits: number;
  /** Larger files are skipped. */
  maxFileBytes: number;
  maxTotalBytes: number;
  maxFiles: number;
  maxTimeMs: number;
}

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

interface Search {
  query: Buffer;
  isWanted: (path: string) => boolean;
  limits: SearchLimits;
  hits: SearchHit[];
  buffer: Buffer;
  files: number;
  bytes: number;
  startedMs: number;
  stoppedBy?: SearchOutcome["stoppedBy"] | undefined;
  signal: AbortSignal | undefined;
}

/**
 * Finds lines that contain a text below a root, literally and case-sensitively. It skips protected names, generated
 * folders, paths that a `.gitignore` at or below the root excludes, files over the limit and binary files. It does not
 * follow links. Paths are sorted by code units.
 */
export async function searchFiles(
  rootPath: string,
  query: string,
  options: {
    isWanted?: ((path: string) => boolean) | undefined;
    limits: SearchLimits;
    signal?: AbortSignal | undefined;
  },
): Promise<SearchOutcome> {
  const search: Search = {
    query: Buffer.from(query),
    isWanted: options.isWanted ?? (() => true),
    limits: options.limits,
    hits: [],
    buffer: Buffer.allocUnsafe(64 * 1024),
    files: 0,
    bytes: 0,
    startedMs: performance.now(),
    signal: options.signal,
  };
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
  if (performance.now() - search.startedMs > search.limits.maxTimeMs) search.stoppedBy = "time";
  await takeTurn();
  assertNotAborted(search.signal);
}

function withOwnLayer(
  layers: readonly IgnoreLayer[],
  { here, path, entries }: { here: string; path: string; entries: readonly fs.Dirent[] },
): readonly IgnoreLayer[] {
  const hasRules = entries.some((entry) => entry.name === ".gitignore" && entry.isFile());
  const file = hasRules ? openQuietly(`${here}/.gitignore`, fileFlags) : undefined;
  if (file === undefined) return layers;
  try {
    if (fs.fstatSync(file).size > MAX_RULES_BYTES) return layers;
    const rules = readIgnoreRules(fs.readFileSync(file, "utf8"));
    return rules.length === 0 ? layers : [...layers, { folder: path, rules }];
  } catch {
    return layers;
  } finally {
    fs.closeSync(file);
  }
}

/** Sorts like whole paths: a folder's name counts with its slash. */
function compareAsPaths(a: fs.Dirent, b: fs.Dirent): number {
  const left = a.isDirectory() ? `${a.name}/` : a.name;
  const right = b.isDirectory() ? `${b.name}/` : b.name;
  return compareCodeUnits(left, right);
}

function searchFile(search: Search, place: string, path: string): void {
  const { limits } = search;
  const stop = (by: Search["stoppedBy"]): void => void (search.stoppedBy = by);
  if (search.files >= limits.maxFiles) return stop("files");
  const file = openQuietly(place, fileFlags);
  if (file === undefined) return;
  try {
    const status = fs.fstatSync(file);
    if (!status.isFile() || status.size > limits.maxFileBytes) return;
    if (search.bytes + status.size > limits.maxTotalBytes) return stop("bytes");
    if (search.buffer.length < status.size) search.buffer = Buffer.allocUnsafe(limits.maxFileBytes);
    const length = status.size === 0 ? 0 : fs.readSync(file, search.buffer, 0, status.size, 0);
    search.files += 1;
    search.bytes += length;
    collectHits(search, path, search.buffer.subarray(0, length));
  } catch {
    // A file that can no longer be read has no hits.
  } finally {
    fs.closeSync(file);
  }
}

function collectHits(search: Search, path: string, bytes: Buffer): void {
  let at = bytes.indexOf(search.query);
  if (at < 0 || bytes.subarray(0, SNIFFED_BYTES).includes(0)) return;
  let line = 1;
  for (let counted = 0; at >= 0;) {
    for (
      let feed = bytes.indexOf(10, counted);
      feed >= 0 && feed < at;
      feed = bytes.indexOf(10, feed + 1)
    ) {
      line += 1;
      counted = feed + 1;
    }
    if (search.hits.length >= search.limits.maxHits) {
      search.stoppedBy = "hits";
      return;
    }
    const feed = bytes.indexOf(10, at);
    const end = feed < 0 ? bytes.length : feed;
    search.hits.push({ path, line, text: textAround(bytes.subarray(counted, end), at - counted) });
    // Continue on the next line.
    at = bytes.indexOf(search.query, Math.max(end, at + 1));
  }
}

/** The line of a hit, or the part around the hit if the line is long. */
function textAround(lineBytes: Buffer, hitAt: number): string {
  const start = Math.max(0, hitAt - MAX_LINE_CHARACTERS);
  const text = lineBytes
    .subarray(start, hitAt + 4 * MAX_LINE_CHARACTERS)
    .toString()
    .trimEnd();
  if (text.length <= MAX_LINE_CHARACTERS && start === 0) return text;
  const from =
    start === 0 && hitAt < MAX_LINE_CHARACTERS / 2
      ? 0
      : Math.max(0, hitAt - start - MAX_LINE_CHARACTERS / 4);
  const shown = text.slice(from, from + MAX_LINE_CHARACTERS);
  return `${from > 0 || start > 0 ? "..." : ""}${shown}${from + MAX_LINE_CHARACTERS < text.length ? "..." : ""}`;
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
