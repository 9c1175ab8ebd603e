import { existsSync, mkdirSync, rmSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

import { sha256Hex } from "@ccl/core";
import { syncFolder, writeFileDurable } from "@ccl/core/node";

import { readTextSync } from "./folder-files.ts";

/** Texts by path inside a folder. Null deletes the file. */
export type FolderChanges = Readonly<Record<string, string | null>>;

interface Journal {
  changes: FolderChanges;
  /**
   * Hashes of the contents that each file may have before the change, by path. Empty for a new
   * file.
   */
  before: Readonly<Record<string, readonly string[]>>;
}

const journalFile = ".changes.json";
const writesAtOnce = 16;

/**
 * Writes changes of many files atomically. The journal is flushed to disk first, so that the next
 * process can complete a write that a kill or a power cut interrupted. The caller holds the
 * folder's lock and has called `finishChanges`.
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

/** True if a kill or a power cut left changes for `finishChanges` to complete. */
export function hasUnfinishedChanges(folder: string): boolean {
  return existsSync(join(folder, journalFile));
}

/** Completes unfinished changes. Later edits by people are kept. The caller holds the folder's lock. */
export async function finishChanges(folder: string): Promise<void> {
  const text = readTextSync(join(folder, journalFile));
  if (text === undefined) return;
  const journal = parseJournal(text);
  const unfinished = Object.entries(journal?.changes ?? {}).filter(([path, target]) => {
    const found = readTextSync(join(folder, path));
    if (found === (target ?? undefined)) return false;
    if (found === undefined || journal?.before[path]?.includes(sha256Hex(found)) === true)
      return true;
    // The kill cut the file short, or the power cut left holes.
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
 * Parses the journal. Undefined if it is torn. It is flushed before the first file changes, so then
 * nothing was written yet.
 */
function parseJournal(text: string): Journal | undefined {
  const end = text.indexOf("\n");
  const body = text.slice(end + 1);
  return text.slice(0, 64) === sha256Hex(body) ? JSON.parse(body) : undefined;
}
