import { isRecord } from "@ccl/core/json";
import { type Issue, type Result, success } from "@ccl/core";

import { quote, refusal, planIssue } from "../../plan-issue.ts";
import type { RolledBackPlan } from "../../workspace/file-workspace.ts";
import type { Folder } from "../file-system/folder.ts";
import { inFolder } from "../file-system/in-folder.ts";
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
import type { Step } from "./step.ts";
import { findUnfinished } from "./recover.ts";
import { keptIssues, undo } from "./undo.ts";

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
      `Transaction ${quote(transactionId)} is not committed, so there is nothing to undo.`,
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
    if (keptPaths.length > 0) return { ok: false, issues: await keptIssues(journal, keptPaths) };
    return success({ transactionId, paths: pathsOf(journal) });
  } finally {
    await closeJournal(journal);
  }
}

/** Returns the result for an id without a journal. */
export function noJournalOf(transactionId: string): { ok: false; issues: Issue[] } {
  return refusal("PATH_NOT_FOUND", `There is no journal for transaction ${quote(transactionId)}.`);
}

/** What is wrong with a path that is not as a step left it. */
const CHANGED: Readonly<Record<Step["change"], string>> = {
  write: "was changed since the transaction",
  remove: "was deleted by the transaction but exists again",
  remove_folder: "was deleted by the transaction but exists again",
  make_folder: "is no longer the folder that the transaction created",
};

/** Finds paths whose state differs from what the transaction, or a later check, left. */
async function findLaterChanges(root: Folder, { steps, checked }: Journal): Promise<Issue[]> {
  const found = await changedSteps(root, steps, checked?.written);
  return found.map(({ step: { path, change }, state }) => {
    const [name] = isRecord(state) && "names" in state ? state.names : [];
    return name === undefined
      ? planIssue("CONCURRENT_EDIT", `${quote(path)} ${CHANGED[change]}. Nothing was restored.`, [
          path,
        ])
      : planIssue(
          "ERR_NOT_EMPTY",
          `${quote(path)} has ${quote(name)}, which the transaction did not create. Nothing was restored.`,
          [path],
        );
  });
}
