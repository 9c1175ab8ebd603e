import { systemCode } from "@ccl/core/node";

import type { Folder } from "../file-system/folder.ts";
import type { WorkspaceParts } from "../file-system/workspace-parts.ts";
import { linkOrCopy } from "./back-up.ts";
import {
  closeJournal,
  createJournal,
  isTransactionId,
  type Journal,
  recordChecks,
  openJournal,
  removeJournal,
  stateOf,
  writeIntent,
} from "./journal.ts";

/** With an id behind it: a copy that is not whole yet. No id of a transaction has a point. */
const COPY = "copy.";

/**
 * Runs work that holds a second lock outside the root, since a check may remove the first one together with `.ccl`. A
 * process that takes a new first lock then waits for the second.
 */
export async function withShelterLock<Value>(
  parts: WorkspaceParts,
  signal: AbortSignal | undefined,
  work: () => Promise<Value>,
): Promise<Value> {
  const shelter = await parts.openShelter(true);
  if (shelter === undefined) return work();
  try {
    return await parts.withLock(shelter, signal, work);
  } finally {
    await shelter.close();
    await parts.removeShelter();
  }
}

/**
 * Keeps a second journal of a transaction outside the root while checks run, since one of them may remove `.ccl`, as
 * `git clean -fdx` does. The old files get another name there, or are copied where that is another file system.
 */
export async function shelterJournal(parts: WorkspaceParts, journal: Journal): Promise<void> {
  const shelter = await parts.openShelter(true);
  if (shelter === undefined) return;
  await copyJournal(parts, journal, { old: journal.backups, to: shelter }).finally(() =>
    shelter.close(),
  );
}

/** Forgets the second journal. Where that fails it is only looked at in vain. */
export async function dropShelter(parts: WorkspaceParts, id: string): Promise<void> {
  const shelter = await parts.openShelter(false).catch(() => undefined);
  if (shelter === undefined) return;
  // What is half removed is no journal any more.
  await shelter.rename(id, shelter, `old.${id}`).catch(() => undefined);
  for (const name of await shelter.list().catch(() => []))
    if (name.endsWith(`.${id}`)) await removeJournal(shelter, name).catch(() => undefined);
  await shelter.close();
}

/** Ids of transactions whose checks run, or were interrupted. */
export async function shelteredIds(parts: WorkspaceParts): Promise<string[]> {
  const shelter = await parts.openShelter(false);
  const names = (await shelter?.list().finally(() => shelter.close())) ?? [];
  return names.filter(isTransactionId);
}

/** `restoreSheltered` once no other process runs checks here. The caller holds the workspace's lock. */
export async function restoreWhenFree(
  parts: WorkspaceParts,
  journals: Folder,
  signal: AbortSignal | undefined,
): Promise<void> {
  const shelter = await parts.openShelter(false);
  if (shelter === undefined) return;
  await shelter.close();
  await withShelterLock(parts, signal, () => restoreSheltered(parts, journals)).catch(
    async (error: unknown) => {
      // The folder goes with the process that was waited for.
      if (systemCode(error) !== "ENOENT" || (await shelteredIds(parts)).length > 0) throw error;
    },
  );
}

/** Puts journals back that were removed, in whole or in part. The caller holds both locks. */
export async function restoreSheltered(parts: WorkspaceParts, journals: Folder): Promise<void> {
  for (const id of await shelteredIds(parts)) {
    const shelter = await parts.openShelter(false);
    if (shelter === undefined) return;
    const copy = await openJournal(shelter, id).finally(() => shelter.close());
    try {
      if (!(await isWhole(journals, copy)))
        await copyJournal(parts, copy, { old: copy.moved, to: journals });
    } finally {
      await closeJournal(copy);
    }
    await dropShelter(parts, id);
  }
}

/** True where a transaction's journal stands in its folder, with all old files that its copy has while they are needed. */
async function isWhole(journals: Folder, copy: Journal): Promise<boolean> {
  const found = await openJournal(journals, copy.transactionId).catch(() => undefined);
  if (found === undefined) return false;
  try {
    if ((await stateOf(found.folder)) !== "intent") return true;
    const names = new Set([...(await found.moved.list()), ...(await found.backups.list())]);
    return (await copy.moved.list()).every((key) => names.has(key));
  } finally {
    await closeJournal(found);
  }
}

/** Copies what an undo needs; it appears under its id when it is whole. */
async function copyJournal(
  parts: WorkspaceParts,
  journal: Journal,
  { old, to }: { old: Folder; to: Folder },
): Promise<void> {
  const { transactionId: id } = journal;
  for (const name of [COPY + id, id]) await removeJournal(to, name);
  const copy = await createJournal(to, COPY + id, journal);
  try {
    for (const key of await old.list()) await linkOrCopy(parts, old, { key, to: copy.moved });
    await recordChecks(parts, copy, { isOver: false, written: {} });
    await writeIntent(parts, to, copy);
  } finally {
    await closeJournal(copy);
  }
  await to.rename(COPY + id, to, id);
  if (parts.durability === "full") await to.sync();
}
