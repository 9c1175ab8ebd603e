import { isRecord } from "@ccl/core/json";
import { type Issue, type Result, success } from "@ccl/core";

import { quote, refusal, planIssue } from "../../plan-issue.ts";
import type { RolledBackPlan } from "../../workspace/file-workspace.ts";
import type { Folder } from "../file-system/folder.ts";
import { inFolder, splitPath } from "../file-system/in-folder.ts";
import type { WorkspaceParts } from "../file-system/workspace-parts.ts";
import {
  closeJournal,
  isTransactionId,
  type Journal,
  mark,
  markOpen,
  openJournal,
  pathsOf,
  stateOf,
  unmarkOpen,
} from "./journal.ts";
import { changedSteps } from "./path-state.ts";
import { findUnfinished } from "./recover.ts";
import { undo } from "./undo.ts";

/** Rolls back a committed transaction. The caller holds the workspace lock. */
export async function rollBack(
  parts: WorkspaceParts,
  journals: Folder,
  transactionId: string,
): Promise<Result<RolledBackPlan>> {
  const isThere =
    isTransactionId(transactionId) && (await journals.status(transactionId))?.kind === "folder";
  if (!isThere) return noJournalOf(transactionId);
  if ((await findUnfinished(journals)).length > 0)
    return refusal(
      "RECOVERY_REQUIRED",
      "A transaction was interrupted. Call recover() before a rollback.",
    );
  if ((await inFolder(journals, transactionId, stateOf)) !== "committed")
    return refusal(
      "PATH_NOT_FOUND",
      `Transaction ${quote(transactionId)} is not committed; there is nothing to undo.`,
    );
  const journal = await openJournal(journals, transactionId);
  try {
    const issues = await findLaterChanges(parts.root, journal);
    if (issues.length > 0) return { ok: false, issues };
    await markOpen(parts, journal);
    await mark(parts, journal, "rolling_back");
    const { keptPaths } = await undo(parts, journal, { isLive: true });
    await unmarkOpen(journals, transactionId);
    for (const path of pathsOf(journal)) parts.readSet.delete(path);
    if (keptPaths.length > 0) return { ok: false, issues: keptPaths.map(keptIssue) };
    return success({ transactionId, paths: pathsOf(journal) });
  } finally {
    await closeJournal(journal);
  }
}

/** Returns the result for an id without a journal. */
export function noJournalOf(transactionId: string): { ok: false; issues: Issue[] } {
  return refusal("PATH_NOT_FOUND", `There is no journal of a transaction ${quote(transactionId)}.`);
}

/** Finds paths whose state differs from what the transaction, or a later check, left. */
async function findLaterChanges(root: Folder, { steps, checked }: Journal): Promise<Issue[]> {
  const found = await changedSteps(root, steps, checked?.written);
  return found.map(({ step: { path, change }, state }) => {
    if (change === "remove" || change === "remove_folder")
      return changed(path, "was deleted by the transaction and is there again");
    if (change !== "make_folder") return changed(path, "was changed since the transaction");
    if (!isRecord(state) || !("names" in state))
      return changed(path, "is no longer the folder that the transaction made");
    const message = `${quote(path)} has ${quote(state.names[0] ?? "")}, which the transaction did not make. Nothing was restored.`;
    return planIssue("ERR_NOT_EMPTY", message, [path]);
  });
}

function changed(path: string, how: string): Issue {
  return planIssue("CONCURRENT_EDIT", `${quote(path)} ${how}. Nothing was restored.`, [path]);
}

function keptIssue(path: string): Issue {
  const { name } = splitPath(path);
  const message = `${quote(name)} was changed by someone else during the rollback and stays; its old file is in the journal.`;
  return planIssue("CONCURRENT_EDIT", message, [path]);
}
