import { assertNotAborted } from "../../plan-protocol-error.ts";

import type { PrunedTransactions } from "../../workspace/file-workspace.ts";
import type { Folder } from "../file-system/folder.ts";
import { syncIn, type WorkspaceParts } from "../file-system/workspace-parts.ts";
import { removeJournal } from "./journal.ts";
import { listTransactions } from "./recover.ts";

/**
 * Prefix of a journal being removed. No transaction id contains a dot, so its remains are never mistaken for a journal.
 */
const REMOVED = "removed.";

/** Removes journals of finished transactions, oldest first, until `keep` remain. The caller holds the lock. */
export async function pruneTransactions(
  parts: WorkspaceParts,
  journals: Folder,
  { keep, signal }: { keep: number; signal: AbortSignal | undefined },
): Promise<PrunedTransactions> {
  const records = await listTransactions(journals, signal);
  const through = records.filter(({ status }) => status !== "unfinished");
  const old = through.slice(0, Math.max(0, through.length - keep));
  const removed: string[] = [];
  for (const { transactionId } of old.filter(({ keptPaths }) => keptPaths.length === 0)) {
    assertNotAborted(signal);
    await journals.rename(transactionId, journals, REMOVED + transactionId);
    removed.push(transactionId);
  }
  if (removed.length > 0) await syncIn(parts, journals);
  await clearRemoved(journals);
  const needed = records
    .filter(({ status, keptPaths }) => status === "unfinished" || keptPaths.length > 0)
    .map(({ transactionId }) => transactionId);
  return { removed, needed };
}

/** Finishes removals, including those of a killed process. */
async function clearRemoved(journals: Folder): Promise<void> {
  for (const name of (await journals.list()).filter((it) => it.startsWith(REMOVED)))
    await removeJournal(journals, name);
}
