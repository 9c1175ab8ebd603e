import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { open, rename } from "node:fs/promises";
import { dirname, join } from "node:path";

import { sha256Hex } from "@ccl/core";
import { writeFileDurable } from "@ccl/core/node";

import { bootId } from "./boot-id.ts";
import { makeCacheFolder } from "./cache-folder.ts";
import { readTextSync } from "./folder-files.ts";

/** Texts by path inside a folder; null deletes. */
export type FolderChanges = Readonly<Record<string, string | null>>;

/** Changes that are written down, and what may stand in their places instead. */
interface Journal {
  /** Of the start of the machine in which they were written down. */
  boot: string;
  changes: FolderChanges;
  /** By path, the hashes of earlier contents; none where there was no file. */
  before: Readonly<Record<string, readonly string[]>>;
}

const JOURNAL = ".changes.json";
const CARRIED = "changes.json";
/** The system has long written what was given to it, so that syncing costs next to nothing. */
const SETTLED_MS = 600_000;
const AT_ONCE = 16;
/** More than the first line of a journal has. */
const HEAD_BYTES = 256;

/**
 * Carries out changes of many files as one. They are written down first, durably, which is the only sync: a process that
 * is killed leaves what the next one finishes. The journal is kept beside the cache for a while after that, because the
 * files themselves reach the disk later: when the machine was started anew in between, the next process makes good what
 * a power cut took. The caller holds the folder's lock and has called `finishChanges`.
 */
export async function commitChanges(
  folder: string,
  changes: FolderChanges,
  hashes: ReadonlyMap<string, string>,
): Promise<void> {
  makeCacheFolder(folder);
  await writeFileDurable(
    join(folder, JOURNAL),
    formatJournal(await withEarlier(folder, changes, hashes)),
  );
  makeFolders(folder, Object.keys(changes));
  for (const [path, text] of Object.entries(changes)) putFile(join(folder, path), text);
  await rename(join(folder, JOURNAL), carriedPath(folder));
}

/** True where a killed process, or a power cut, left something to `finishChanges`. */
export function hasUnfinishedChanges(folder: string): boolean {
  if (existsSync(join(folder, JOURNAL))) return true;
  return existsSync(carriedPath(folder)) && !isOfThisBoot(carriedPath(folder));
}

/** Finishes what was begun; what people changed since stays. The caller holds the folder's lock. */
export async function finishChanges(folder: string): Promise<void> {
  // Newest last: it has all of the older one that still counts.
  for (const path of [carriedPath(folder), join(folder, JOURNAL)]) {
    if (!existsSync(path)) continue;
    if (path === carriedPath(folder) && isOfThisBoot(path)) continue;
    const journal = readJournal(path);
    if (journal !== undefined) makeGood(folder, journal);
    if (journal?.boot === bootId()) {
      makeCacheFolder(folder);
      await rename(path, carriedPath(folder));
      continue;
    }
    if (journal !== undefined) await syncFiles(folder, Object.keys(journal.changes));
    rmSync(path, { force: true });
  }
}

/** The changes with those of before that may not be on disk yet. */
async function withEarlier(
  folder: string,
  changes: FolderChanges,
  hashes: ReadonlyMap<string, string>,
): Promise<Journal> {
  const path = carriedPath(folder);
  let earlier = existsSync(path) ? readJournal(path) : undefined;
  if (earlier !== undefined && Date.now() - statSync(path).mtimeMs > SETTLED_MS) {
    await syncFiles(folder, Object.keys(earlier.changes));
    earlier = undefined;
  }
  const before: Record<string, readonly string[]> = { ...earlier?.before };
  for (const file of Object.keys(changes)) {
    const known = hashes.get(file);
    before[file] = [...(earlier?.before[file] ?? []), ...(known === undefined ? [] : [known])];
  }
  return { boot: bootId(), changes: { ...earlier?.changes, ...changes }, before };
}

function makeGood(folder: string, { changes, before }: Journal): void {
  makeFolders(folder, Object.keys(changes));
  for (const [path, text] of Object.entries(changes)) {
    const found = readTextSync(join(folder, path));
    if (found === (text ?? undefined)) continue;
    const isTorn =
      found === undefined || (text?.startsWith(found) ?? false) || found.includes("\0");
    const isEarlier = found !== undefined && before[path]?.includes(sha256Hex(found)) !== false;
    if (isTorn || isEarlier) putFile(join(folder, path), text);
  }
}

function makeFolders(folder: string, paths: readonly string[]): void {
  for (const each of new Set(paths.map((path) => dirname(join(folder, path)))))
    mkdirSync(each, { recursive: true });
}

/** A new file in the place of the old one: file systems sync one that is written over or renamed upon. */
function putFile(path: string, text: string | null): void {
  if (text !== null && isCreated(path, text)) return;
  rmSync(path, { force: true });
  if (text !== null) writeFileSync(path, text, { flag: "wx" });
}

/** False where there is a file already. */
function isCreated(path: string, text: string): boolean {
  try {
    writeFileSync(path, text, { flag: "wx" });
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return false;
    throw error;
  }
}

async function syncFiles(folder: string, paths: readonly string[]): Promise<void> {
  const waiting = [...new Set(paths.map((path) => dirname(path))), ...paths];
  const work = async (): Promise<void> => {
    for (let path = waiting.pop(); path !== undefined; path = waiting.pop())
      await syncFile(join(folder, path));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
}

const unsyncable = new Set(["ENOENT", "EISDIR", "EPERM", "EACCES", "EINVAL", "ENOTSUP", "EBADF"]);

/** Files that were deleted, and folders of systems that sync none, are passed over. */
async function syncFile(path: string): Promise<void> {
  try {
    const handle = await open(path, "r");
    await handle.sync().finally(() => handle.close());
  } catch (error) {
    if (!(error instanceof Error) || !("code" in error) || !unsyncable.has(String(error.code)))
      throw error;
  }
}

function carriedPath(folder: string): string {
  return join(folder, ".cache", CARRIED);
}

function formatJournal({ boot, changes, before }: Journal): string {
  const body = JSON.stringify({ changes, before });
  return `${sha256Hex(body)} ${boot}\n${body}`;
}

/** Told by the first line alone; a journal that was carried out, in this boot, is whole. */
function isOfThisBoot(path: string): boolean {
  const head = Buffer.alloc(HEAD_BYTES);
  const file = openSync(path, "r");
  try {
    const line = head.toString("utf8", 0, readSync(file, head)).split("\n", 1)[0] ?? "";
    return line.split(" ")[1] === bootId();
  } finally {
    closeSync(file);
  }
}

/** A journal that is torn was never acted upon: it is durable before the first file changes. */
function readJournal(path: string): Journal | undefined {
  const text = readFileSync(path, "utf8");
  const end = text.indexOf("\n");
  const [hash, boot = ""] = text.slice(0, Math.max(0, end)).split(" ");
  const body = text.slice(end + 1);
  if (end < 0 || sha256Hex(body) !== hash) return undefined;
  const { changes, before }: Omit<Journal, "boot"> = JSON.parse(body);
  return { boot, changes, before };
}
