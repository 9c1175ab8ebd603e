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

/** Prefix of a copy that is not complete yet, before an id. No transaction id contains a dot. */
const COPY = "copy.";

/**
 * Runs work while it holds a second lock outside the root, since a check may remove the first one together with
 * `.ccl`. A process that then creates a new first lock still waits for the second.
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
 * Keeps a second journal of a transaction outside the root while checks run, since a check may remove `.ccl`, as
 * `git clean -fdx` does. It links the old files there, or copies them to another file system.
 */
export async function shelterJournal(parts: WorkspaceParts, journal: Journal): Promise<void> {
  const shelter = await parts.openShelter(true);
  if (shelter === undefined) return;
  await copyJournal(parts, journal, { old: journal.backups, to: shelter }).finally(() =>
    shelter.close(),
  );
}

/** Removes the second journal. A failure costs only a needless look later. */
export async function dropShelter(parts: WorkspaceParts, id: string): Promise<void> {
  const shelter = await parts.openShelter(false).catch(() => undefined);
  if (shelter === undefined) return;
  // Once renamed, a half-removed folder no longer counts as a journal.
  await shelter.rename(id, shelter, `old.${id}`).catch(() => undefined);
  for (const name of await shelter.list().catch(() => []))
    if (name.endsWith(`.${id}`)) await removeJournal(shelter, name).catch(() => undefined);
  await shelter.close();
}

/** Ids of transactions whose checks are running or were interrupted. */
export async function shelteredIds(parts: WorkspaceParts): Promise<string[]> {
  const shelter = await parts.openShelter(false);
  const names = (await shelter?.list().finally(() => shelter.close())) ?? [];
  return names.filter(isTransactionId);
}

/** Calls `restoreSheltered` once no other process runs checks here. The caller holds the workspace's lock. */
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
      // The process that was waited for removes the folder when it ends.
      if (systemCode(error) !== "ENOENT" || (await shelteredIds(parts)).length > 0) throw error;
    },
  );
}

/** Restores journals that were removed completely or partly. The caller holds both locks. */
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

/** True if a transaction's journal is in its folder, with every old file of its copy as long as these are needed. */
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

/** Copies what an undo needs. The copy gets its id as its name once it is complete. */
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
