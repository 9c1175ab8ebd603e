import { mapConcurrent } from "@ccl/core/async";
import { unless } from "@ccl/core/node";
import { type Issue, type Result, success } from "@ccl/core";

import { quote } from "../../plan-issue.ts";
import type { RolledBackPlan } from "../../workspace/file-workspace.ts";
import type { Folder } from "../file-system/folder.ts";
import { splitPath, type Tree, withTree } from "../file-system/tree.ts";
import type { WorkspaceParts } from "../workspace-parts.ts";
import {
  closeJournal,
  isTransactionId,
  type Journal,
  mark,
  markOpen,
  openJournal,
  stateOf,
  unmarkOpen,
} from "./journal.ts";
import { lookAt, MAX_TEXT_BYTES } from "./look-at.ts";
import { findUnfinished } from "./recover.ts";
import { planFailure } from "./resolve-plan.ts";
import type { Step } from "./step.ts";
import { undo } from "./undo.ts";
import { FILES_AT_ONCE } from "../workspace-parts.ts";

/** Puts a committed transaction back. The caller holds the workspace's lock. */
export async function rollBack(
  parts: WorkspaceParts,
  journals: Folder,
  transactionId: string,
): Promise<Result<RolledBackPlan>> {
  const isThere =
    isTransactionId(transactionId) && (await journals.status(transactionId))?.kind === "folder";
  if (!isThere) return noJournalOf(transactionId);
  if ((await findUnfinished(journals)).length > 0)
    return planFailure(
      "RECOVERY_REQUIRED",
      "A transaction was interrupted. Call recover() before a rollback.",
    );
  const folder = await journals.openFolder(transactionId);
  const state = await stateOf(folder).finally(() => folder.close());
  if (state !== "committed")
    return planFailure(
      "PATH_NOT_FOUND",
      `Transaction ${quote(transactionId)} is not committed; there is nothing to undo.`,
    );
  const journal = await openJournal(journals, transactionId);
  try {
    const issues = await withTree(parts.root, (tree) => findLaterChanges(tree, journal));
    if (issues.length > 0) return { ok: false, issues };
    await markOpen(parts, journals, journal);
    await mark(parts, journal, { state: "rolling_back" });
    const keptPaths = await undo(parts, journal, { isLive: true });
    await unmarkOpen(journals, transactionId);
    for (const { path } of journal.steps) parts.readSet.delete(path);
    if (keptPaths.length > 0) return { ok: false, issues: keptPaths.map(keptIssue) };
    return success({ transactionId, paths: journal.steps.map(({ path }) => path) });
  } finally {
    await closeJournal(journal);
  }
}

/** The answer for an id that there is no journal of. */
export function noJournalOf(transactionId: string): { ok: false; issues: Issue[] } {
  return planFailure(
    "PATH_NOT_FOUND",
    `There is no journal of a transaction ${quote(transactionId)}.`,
  );
}

/** What is no longer as the transaction left it. */
async function findLaterChanges(tree: Tree, { steps }: Journal): Promise<Issue[]> {
  const own = new Set(steps.map(({ path }) => path));
  const found = await mapConcurrent(steps, FILES_AT_ONCE, (step) => laterChange(tree, step, own));
  return found.filter((issue) => issue !== undefined);
}

async function laterChange(
  tree: Tree,
  step: Step,
  own: ReadonlySet<string>,
): Promise<Issue | undefined> {
  const { path, change, after } = step;
  const found = await lookAt(tree, path, MAX_TEXT_BYTES);
  if (change === "remove" || change === "remove_folder") {
    const isGone = found.kind === "absent";
    return isGone ? undefined : changed(path, "was deleted by the transaction and is there again");
  }
  if (change === "make_folder") {
    if (found.kind !== "folder")
      return changed(path, "is no longer the folder that the transaction made");
    const names = await unless(
      ["ENOENT"],
      tree.inFolder(path, (folder) => folder.list()),
      [],
    );
    const other = names.sort().find((name) => !own.has(`${path}/${name}`));
    if (other === undefined) return undefined;
    const message = `${quote(path)} has ${quote(other)}, which the transaction did not make. Nothing was put back.`;
    return { code: "ERR_NOT_EMPTY", path: [path], message };
  }
  const isAsLeft =
    found.kind === "file" &&
    found.facts.sha256 === after?.sha256 &&
    found.facts.status.mode === after.mode;
  return isAsLeft ? undefined : changed(path, "was changed since the transaction");
}

function changed(path: string, how: string): Issue {
  return {
    code: "CONCURRENT_EDIT",
    path: [path],
    message: `${quote(path)} ${how}. Nothing was put back.`,
  };
}

function keptIssue(path: string): Issue {
  const { name } = splitPath(path);
  const message = `${quote(name)} was changed by someone else during the rollback and stays; its old file is in the journal.`;
  return { code: "CONCURRENT_EDIT", path: [path], message };
}
