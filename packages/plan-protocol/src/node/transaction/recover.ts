import { unless } from "@ccl/core/node";
import { throwIfAborted } from "@ccl/core/async";

import type { RecoveredTransaction, TransactionRecord } from "../../workspace/file-workspace.ts";
import type { Folder } from "../file-system/folder.ts";
import { syncIn, type WorkspaceParts } from "../file-system/workspace-parts.ts";
import {
  closeJournal,
  emptyParts,
  isMarkedOpen,
  isTransactionId,
  isUnfinished,
  type JournalState,
  openIds,
  openJournal,
  readIntent,
  readUndoRecord,
  removeJournal,
  stateOf,
  unmarkOpen,
} from "./journal.ts";
import { undo } from "./undo.ts";
import { PlanProtocolError } from "../../plan-protocol-error.ts";

/** Ids of transactions that may have changed something and were neither committed nor undone. */
export async function findUnfinished(journals: Folder): Promise<string[]> {
  const found = await statesOf(journals, await openIds(journals));
  return found.filter(({ state }) => isUnfinished(state)).map(({ id }) => id);
}

/** Undoes what was left unfinished, the latest first, and clears away what a killed process left. The caller holds the lock. */
export async function recoverAll(
  parts: WorkspaceParts,
  journals: Folder,
  signal: AbortSignal | undefined,
): Promise<RecoveredTransaction[]> {
  const recovered: (RecoveredTransaction & { timeMs: number })[] = [];
  const unfinished: { id: string; timeMs: number }[] = [];
  for (const { id, state } of await listStates(journals)) {
    throwIfAborted(signal, PlanProtocolError);
    if (state === "begun") {
      await removeJournal(journals, id);
      recovered.push({
        transactionId: id,
        outcome: "discarded",
        paths: [],
        keptPaths: [],
        writtenPaths: [],
        timeMs: 0,
      });
    } else if (isUnfinished(state)) {
      unfinished.push({
        id,
        timeMs: await inFolder(
          journals,
          id,
          async (folder) => (await readIntent(folder, id)).timeMs,
        ),
      });
    } else await clearLeftovers(parts, journals, { id, state });
  }
  for (const { id, timeMs } of unfinished.toSorted(
    (a, b) => b.timeMs - a.timeMs || (a.id < b.id ? 1 : -1),
  )) {
    throwIfAborted(signal, PlanProtocolError);
    const journal = await openJournal(journals, id);
    try {
      const { keptPaths, writtenPaths } = await undo(parts, journal);
      const isKept = new Set(keptPaths);
      const paths = journal.steps.map(({ path }) => path).filter((path) => !isKept.has(path));
      const outcome = "rolled_back";
      recovered.push({ transactionId: id, outcome, paths, keptPaths, writtenPaths, timeMs });
    } finally {
      await closeJournal(journal);
    }
  }
  for (const id of await openIds(journals)) await unmarkOpen(journals, id);
  return recovered
    .toSorted((a, b) => a.timeMs - b.timeMs)
    .map(({ timeMs: _timeMs, ...rest }) => rest);
}

/** What there is a journal of, oldest first. */
export async function listTransactions(
  journals: Folder,
  signal: AbortSignal | undefined,
): Promise<TransactionRecord[]> {
  const records: TransactionRecord[] = [];
  for (const { id, state } of await listStates(journals)) {
    throwIfAborted(signal, PlanProtocolError);
    if (state === "begun") continue;
    // Another process may take a transaction's folder away meanwhile.
    const record = await unless(["ENOENT"], describe(journals, id, state), undefined);
    if (record !== undefined) records.push(record);
  }
  return records.toSorted(
    (a, b) => a.timeMs - b.timeMs || (a.transactionId < b.transactionId ? -1 : 1),
  );
}

function describe(journals: Folder, id: string, state: JournalState): Promise<TransactionRecord> {
  return inFolder(journals, id, async (folder) => {
    const { timeMs, steps } = await readIntent(folder, id);
    const undone = await readUndoRecord(folder);
    const status = state === "committed" || state === "rolled_back" ? state : "unfinished";
    return { transactionId: id, timeMs, status, paths: steps.map(({ path }) => path), ...undone };
  });
}

async function listStates(journals: Folder): Promise<{ id: string; state: JournalState }[]> {
  return statesOf(journals, (await journals.list()).filter(isTransactionId));
}

/** By id; what has no journal is left out. */
async function statesOf(
  journals: Folder,
  ids: readonly string[],
): Promise<{ id: string; state: JournalState }[]> {
  const found: { id: string; state: JournalState }[] = [];
  for (const id of ids.toSorted()) {
    if ((await journals.status(id))?.kind !== "folder") continue;
    const state = await unless(["ENOENT"], inFolder(journals, id, stateOf), undefined);
    if (state !== undefined) found.push({ id, state });
  }
  return found;
}

async function inFolder<Value>(
  journals: Folder,
  id: string,
  call: (folder: Folder) => Promise<Value>,
): Promise<Value> {
  const folder = await journals.openFolder(id);
  try {
    return await call(folder);
  } finally {
    await folder.close();
  }
}

/** A process that is killed right after its last mark leaves files that nothing needs any more. */
async function clearLeftovers(
  parts: WorkspaceParts,
  journals: Folder,
  { id, state }: { id: string; state: JournalState },
): Promise<void> {
  const journal = await openJournal(journals, id);
  try {
    // Its mark may not be durable yet.
    if (await isMarkedOpen(journals, id)) await syncIn(parts, journal.folder);
    const isKept =
      state === "rolled_back" && (await readUndoRecord(journal.folder)).keptPaths.length > 0;
    if (state === "committed") await emptyParts(journal, ["staged", "backups"]);
    else await emptyParts(journal, isKept ? ["staged"] : ["staged", "taken", "moved", "backups"]);
  } finally {
    await closeJournal(journal);
  }
}
