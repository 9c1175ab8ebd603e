import { existsSync, mkdirSync, rmSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

import { sha256Hex } from "@ccl/core";
import { syncFolder, writeFileDurable } from "@ccl/core/node";

import { readTextSync } from "./folder-files.ts";

/** New file contents by path in a folder. Null deletes the file. */
export type FolderChanges = Readonly<Record<string, string | null>>;

interface Journal {
  changes: FolderChanges;
  /** By path: hashes of the contents that a file may have before the change. Empty for a new file. */
  before: Readonly<Record<string, readonly string[]>>;
}

const journalFile = ".changes.json";
const writesAtOnce = 16;

/**
 * Writes changes to many files atomically. The journal is flushed to disk first, so that the next process can
 * complete a write interrupted by a kill or power failure. The caller must hold the folder's lock and have called
 * `finishChanges`.
 */
export async function commitChanges(
  folder: string,
  changes: FolderChanges,
  hashes: ReadonlyMap<string, string>,
): Promise<void> {
  const before = Object.fromEntries(
    Object.keys(changes).map((path) => [path, [hashes.get(path) ?? []].flat()]),
  );
  const body = JSON.stringify({ changes, before } satisfies Journal);
  await writeFileDurable(join(folder, journalFile), `${sha256Hex(body)}\n${body}`);
  await writeChanges(folder, Object.entries(changes));
}

/** True if a kill or power failure left changes for `finishChanges` to complete. */
export function hasUnfinishedChanges(folder: string): boolean {
  return existsSync(join(folder, journalFile));
}

/** Completes unfinished changes. Keeps later edits by people. The caller must hold the folder's lock. */
export async function finishChanges(folder: string): Promise<void> {
  const text = readTextSync(join(folder, journalFile));
  if (text === undefined) return;
  const journal = parseJournal(text);
  const unfinished = Object.entries(journal?.changes ?? {}).filter(([path, target]) => {
    const found = readTextSync(join(folder, path));
    if (found === (target ?? undefined)) return false;
    if (found === undefined || journal?.before[path]?.includes(sha256Hex(found)) === true)
      return true;
    // The kill truncated the file, or the power failure left holes.
    return (target?.startsWith(found) ?? false) || found.includes("\0");
  });
  await writeChanges(folder, unfinished);
}

/** Writes the files and flushes them to disk, then removes the journal. */
async function writeChanges(
  folder: string,
  changes: [path: string, text: string | null][],
): Promise<void> {
  const folders = new Set(changes.map(([path]) => dirname(join(folder, path))));
  for (const each of folders) mkdirSync(each, { recursive: true });
  const waiting = [...changes];
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [path, text] = next;
      if (text === null) rmSync(join(folder, path), { force: true });
      else await writeFile(join(folder, path), text, { flush: true });
    }
  };
  await Promise.all(Array.from({ length: writesAtOnce }, work));
  for (const each of folders) await syncFolder(each);
  rmSync(join(folder, journalFile), { force: true });
}

/**
 * Parses the journal. Returns undefined if it is incomplete. It is flushed before any file changes, so nothing was
 * written yet in that case.
 */
function parseJournal(text: string): Journal | undefined {
  const end = text.indexOf("\n");
  const body = text.slice(end + 1);
  return text.slice(0, 64) === sha256Hex(body) ? JSON.parse(body) : undefined;
}
