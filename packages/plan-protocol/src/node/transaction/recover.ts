import { assertNotAborted } from "../../plan-protocol-error.ts";
import { compareCodeUnits } from "@ccl/core";
import { unless } from "@ccl/core/node";

import type { RecoveredTransaction, TransactionRecord } from "../../workspace/file-workspace.ts";
import type { Folder } from "../file-system/folder.ts";
import { inFolder } from "../file-system/in-folder.ts";
import { syncIn, type WorkspaceParts } from "../file-system/workspace-parts.ts";
import {
  closeJournal,
  emptyParts,
  isTransactionId,
  isUnfinished,
  type JournalState,
  openIds,
  openJournal,
  pathsOf,
  readIntent,
  readUndoRecord,
  removeJournal,
  stateOf,
  unmarkOpen,
} from "./journal.ts";
import { undo } from "./undo.ts";

/** Returns ids of transactions that may have changed something but were neither committed nor undone. */
export async function findUnfinished(journals: Folder): Promise<string[]> {
  const found = await statesOf(journals, await openIds(journals));
  return found.filter(({ state }) => isUnfinished(state)).map(({ id }) => id);
}

/**
 * Undoes unfinished transactions, latest first, and removes a killed process's leftovers. The caller holds the lock.
 */
export async function recoverAll(
  parts: WorkspaceParts,
  journals: Folder,
  signal: AbortSignal | undefined,
): Promise<RecoveredTransaction[]> {
  const discarded: RecoveredTransaction[] = [];
  const unfinished: Aged[] = [];
  for (const { id, state } of await statesOf(journals)) {
    assertNotAborted(signal);
    if (state === "begun") {
      await removeJournal(journals, id);
      const none = { paths: [], keptPaths: [], writtenPaths: [] };
      discarded.push({ transactionId: id, outcome: "discarded", ...none });
    } else if (isUnfinished(state))
      unfinished.push(await inFolder(journals, id, (folder) => readIntent(folder, id)));
    else await clearLeftovers(parts, journals, { id, state });
  }
  const recovered: RecoveredTransaction[] = [];
  for (const { transactionId } of unfinished.toSorted(byAge).toReversed()) {
    assertNotAborted(signal);
    const journal = await openJournal(journals, transactionId);
    try {
      const { keptPaths, writtenPaths } = await undo(parts, journal);
      const paths = pathsOf(journal).filter((path) => !keptPaths.includes(path));
      const outcome = "rolled_back";
      recovered.unshift({ transactionId, outcome, paths, keptPaths, writtenPaths });
    } finally {
      await closeJournal(journal);
    }
  }
  for (const id of await openIds(journals)) await unmarkOpen(journals, id);
  return [...discarded, ...recovered];
}

/** Lists the transactions that have a journal, oldest first. */
export async function listTransactions(
  journals: Folder,
  signal: AbortSignal | undefined,
): Promise<TransactionRecord[]> {
  const records: TransactionRecord[] = [];
  for (const { id, state } of await statesOf(journals)) {
    assertNotAborted(signal);
    if (state === "begun") continue;
    const described = inFolder(journals, id, async (folder) => {
      const status = isUnfinished(state) ? ("unfinished" as const) : state;
      const { timeMs, steps } = await readIntent(folder, id);
      const undone = await readUndoRecord(folder);
      return { transactionId: id, timeMs, status, paths: pathsOf({ steps }), ...undone };
    });
    // Another process may remove the transaction's folder meanwhile.
    const record = await unless(["ENOENT"], described, undefined);
    if (record !== undefined) records.push(record);
  }
  return records.toSorted(byAge);
}

type Aged = Pick<TransactionRecord, "transactionId" | "timeMs">;

function byAge(a: Aged, b: Aged): number {
  return a.timeMs - b.timeMs || compareCodeUnits(a.transactionId, b.transactionId);
}

/** Reads the states of transactions, by default of all, ordered by id. Ids without a journal are left out. */
async function statesOf(
  journals: Folder,
  ids?: readonly string[],
): Promise<{ id: string; state: JournalState }[]> {
  const found: { id: string; state: JournalState }[] = [];
  const all = ids ?? (await journals.list()).filter(isTransactionId);
  for (const id of all.toSorted()) {
    // Another process may remove the folder meanwhile.
    const reading = inFolder(journals, id, stateOf);
    const state = await unless(["ENOENT", "ENOTDIR"], reading, undefined);
    if (state !== undefined) found.push({ id, state });
  }
  return found;
}

/** Removes files that are no longer needed. A process killed right after its last marker leaves them. */
async function clearLeftovers(
  parts: WorkspaceParts,
  journals: Folder,
  { id, state }: { id: string; state: JournalState },
): Promise<void> {
  const journal = await openJournal(journals, id);
  try {
    const isKept =
      state === "rolled_back" && (await readUndoRecord(journal.folder)).keptPaths.length > 0;
    // The marker may not be durable yet.
    await syncIn(parts, journal.folder);
    if (state === "committed") await emptyParts(journal, ["staged", "backups"]);
    else await emptyParts(journal, isKept ? ["staged"] : ["staged", "taken", "moved", "backups"]);
  } finally {
    await closeJournal(journal);
  }
}
