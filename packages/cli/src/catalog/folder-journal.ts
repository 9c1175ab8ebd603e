import { mkdir, readFile, rm } from "node:fs/promises";
import { dirname, join } from "node:path";

import { sha256Hex } from "@ccl/core";
import { writeFileDurable } from "@ccl/core/node";

/** Texts by path inside a folder; null deletes. */
export type FolderChanges = Readonly<Record<string, string | null>>;

const JOURNAL = ".changes.json";
const AT_ONCE = 16;

/**
 * Carries out changes of many files as one: they are written down first, so that a process that is killed leaves what
 * the next one finishes. The caller holds the folder's lock.
 */
export async function commitChanges(folder: string, changes: FolderChanges): Promise<void> {
  const body = JSON.stringify(changes);
  await writeFileDurable(join(folder, JOURNAL), `${sha256Hex(body)}\n${body}`);
  await carryOut(folder, changes);
}

/** True where a process left changes that are written down and not, or not all, carried out. */
export async function hasPendingChanges(folder: string): Promise<boolean> {
  return (await readFile(join(folder, JOURNAL), "utf8").catch(() => undefined)) !== undefined;
}

/** Finishes what a killed process began. The caller holds the folder's lock. */
export async function finishChanges(folder: string): Promise<void> {
  const text = await readFile(join(folder, JOURNAL), "utf8").catch(() => undefined);
  if (text === undefined) return;
  const changes = readChanges(text);
  if (changes === undefined) await rm(join(folder, JOURNAL), { force: true });
  else await carryOut(folder, changes);
}

/** A journal that is torn was never acted upon: it is durable before the first file changes. */
function readChanges(text: string): FolderChanges | undefined {
  const end = text.indexOf("\n");
  const body = text.slice(end + 1);
  if (end < 0 || sha256Hex(body) !== text.slice(0, end)) return undefined;
  const changes: FolderChanges = JSON.parse(body);
  return changes;
}

async function carryOut(folder: string, changes: FolderChanges): Promise<void> {
  const entries = Object.entries(changes);
  const folders = new Set(entries.map(([path]) => dirname(join(folder, path))));
  for (const each of folders) await mkdir(each, { recursive: true });
  for (let from = 0; from < entries.length; from += AT_ONCE) {
    await Promise.all(
      entries.slice(from, from + AT_ONCE).map(async ([path, text]) => {
        if (text === null) await rm(join(folder, path), { force: true });
        else await writeFileDurable(join(folder, path), text);
      }),
    );
  }
  await rm(join(folder, JOURNAL), { force: true });
}
