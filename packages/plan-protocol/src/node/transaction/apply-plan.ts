import { traced } from "@ccl/core/tracing";
import { systemCode } from "@ccl/core/node";
import { throwIfAborted } from "@ccl/core/async";
import { type Issue, type Result, sha256Hex, success } from "@ccl/core";

import { PlanProtocolError } from "../../plan-protocol-error.ts";
import type { ValidPlan } from "../../validate/valid-plan.ts";
import type { AppliedPlan, ApplyOptions, CheckOutcome } from "../../workspace/plan-workspace.ts";
import { runChecks, runChecksAfter } from "../checks/check-round.ts";
import type { Folder } from "../file-system/folder.ts";
import type { EntryStatus } from "../file-system/folder.ts";
import { readFacts } from "../file-system/read-file.ts";
import { splitPath, type Tree, withTree } from "../file-system/tree.ts";
import { quote } from "../../plan-issue.ts";
import { hashOfPlan } from "../preview/hash-of-plan.ts";
import type { WorkspaceParts } from "../workspace-parts.ts";
import { backUp, isSameStatus } from "./back-up.ts";
import {
  closeJournal,
  emptyParts,
  isTransactionId,
  mark,
  removeJournal,
  stateOf,
  unmarkOpen,
  writeIntent,
} from "./journal.ts";
import { findUnfinished } from "./recover.ts";
import { planFailure, type ResolvedPlan, resolvePlan } from "./resolve-plan.ts";
import { type StagedPlan, stagePlan } from "./stage-plan.ts";
import { StepConflict } from "./step.ts";
import { confirmSwap, swapIn, type SwapProgress, syncFoldersOf } from "./swap-in.ts";
import { undo } from "./undo.ts";

/** Applies a plan as one transaction. The caller holds the workspace's lock. */
export function applyPlan(
  parts: WorkspaceParts,
  journals: Folder,
  asked: { plan: ValidPlan; options: ApplyOptions },
): Promise<Result<AppliedPlan>> {
  return traced("apply plan", { "ccl.plan.actions": asked.plan.actions.length }, async (span) => {
    const applied = await apply(parts, journals, asked);
    span.set({ "ccl.plan.applied": applied.ok });
    return applied;
  });
}

async function apply(
  parts: WorkspaceParts,
  journals: Folder,
  { plan, options }: { plan: ValidPlan; options: ApplyOptions },
): Promise<Result<AppliedPlan>> {
  const { checks = [], mustPass = false, confirm, shortenOutput, signal } = options;
  const unfinished = await findUnfinished(journals);
  if (unfinished.length > 0)
    return planFailure(
      "RECOVERY_REQUIRED",
      `Transaction ${unfinished.join(", ")} was interrupted. Call recover() before the next apply.`,
    );
  const resolved = await withTree(parts.root, (tree) => resolvePlan(parts, tree, plan));
  if (!resolved.ok) return resolved;
  const refused = checkConfirmation(plan, resolved.value, confirm);
  if (refused !== undefined) return refused;
  const how = { shortenOutput, signal };
  const before = mustPass ? [] : (options.before ?? (await runChecks(parts, checks, how)));
  const rewritten = before.length === 0 ? undefined : await changedBase(parts, resolved.value);
  if (rewritten !== undefined)
    return planFailure(
      "CONCURRENT_EDIT",
      `${quote(rewritten)} was changed while the checks ran, by one of them or by someone else. Give checks that only look, such as "prettier --check" in place of "prettier --write".`,
    );
  const transactionId = parts.ids.next();
  if (!isTransactionId(transactionId))
    throw new PlanProtocolError(
      "invalid_input",
      "The id generator gave an id that can't be a folder's name.",
    );
  const prepared = await prepare(parts, journals, { plan: resolved.value, transactionId, signal });
  if (!prepared.ok) return prepared;
  const staged = prepared.value;
  try {
    const check = (): Promise<CheckOutcome[]> => runChecksAfter(parts, checks, { before, ...how });
    const outcome = await carryOut(parts, journals, { staged, check, signal });
    if (!outcome.ok) return outcome;
    const changes = resolved.value.actions.map(describeChange);
    for (const { path } of changes) parts.readSet.delete(path);
    const rewrittenPaths = checks.length === 0 ? [] : await rewrittenSteps(parts, staged);
    return success({ transactionId, changes, checks: outcome.value, rewrittenPaths });
  } finally {
    await closeJournal(staged.journal);
  }
}

/** A file that is not what it was before the checks ran. */
async function changedBase(
  parts: WorkspaceParts,
  { actions }: ResolvedPlan,
): Promise<string | undefined> {
  return await withTree(parts.root, async (tree) => {
    for (const { action, base } of actions) {
      if (base === undefined || isSameStatus(await statusIn(tree, action.path), base.status))
        continue;
      const { parent, name } = splitPath(action.path);
      const facts = await tree
        .inFolder(parent, (folder) => readFacts(folder, name, 0))
        .catch(() => undefined);
      if (facts?.sha256 !== base.sha256) return action.path;
    }
    return undefined;
  });
}

async function statusIn(tree: Tree, path: string): Promise<EntryStatus | undefined> {
  const { parent, name } = splitPath(path);
  return await tree.inFolder(parent, (folder) => folder.status(name)).catch(() => undefined);
}

/** New files that were written again since. */
async function rewrittenSteps(parts: WorkspaceParts, { steps }: StagedPlan): Promise<string[]> {
  return await withTree(parts.root, async (tree) => {
    const changed = await Promise.all(
      steps.map(async ({ change, path, stagedStatus }) => {
        if (change !== "write") return [];
        return isSameStatus(await statusIn(tree, path), stagedStatus) ? [] : [path];
      }),
    );
    return changed.flat();
  });
}

function checkConfirmation(
  plan: ValidPlan,
  resolved: ResolvedPlan,
  confirm: string | undefined,
): { ok: false; issues: Issue[] } | undefined {
  const needs = resolved.actions.some(
    ({ action }) => action.kind === "DELETE_FILE" || action.kind === "DELETE_DIR",
  );
  if (confirm === undefined)
    return needs
      ? planFailure(
          "CONFIRM_REQUIRED",
          "The plan deletes something. Preview it, and confirm with the preview's planHash.",
        )
      : undefined;
  return confirm === hashOfPlan(plan, resolved)
    ? undefined
    : planFailure(
        "CONFIRM_REQUIRED",
        "What was confirmed is another plan, or its files have changed. Preview it again.",
      );
}

interface Preparation {
  plan: ResolvedPlan;
  transactionId: string;
  signal: AbortSignal | undefined;
}

/** All that can be done before the tree is changed; where it fails, nothing is left of it. */
async function prepare(
  parts: WorkspaceParts,
  journals: Folder,
  { plan, transactionId, signal }: Preparation,
): Promise<Result<StagedPlan>> {
  let staged: StagedPlan | undefined;
  try {
    throwIfAborted(signal, PlanProtocolError);
    staged = await stagePlan(parts, journals, { plan, transactionId });
    const { value } = success(staged);
    await withTree(parts.root, (tree) => backUp(parts, tree, value));
    throwIfAborted(signal, PlanProtocolError);
    await writeIntent(parts, journals, staged.journal);
    throwIfAborted(signal, PlanProtocolError);
    return success(staged);
  } catch (error) {
    if (staged !== undefined) await closeJournal(staged.journal);
    await removeJournal(journals, transactionId).then(
      () => unmarkOpen(journals, transactionId),
      () => undefined,
    );
    if (error instanceof StepConflict) return { ok: false, issues: [error.issue] };
    const code = systemCode(error);
    if (code === undefined || PlanProtocolError.isInstance(error)) throw error;
    return planFailure(
      "SNAPSHOT_FAILED",
      `The change could not be prepared (${code}). Nothing was changed.`,
    );
  }
}

interface CarryOutOptions {
  staged: StagedPlan;
  check(): Promise<CheckOutcome[]>;
  signal: AbortSignal | undefined;
}

async function carryOut(
  parts: WorkspaceParts,
  journals: Folder,
  { staged, check, signal }: CarryOutOptions,
): Promise<Result<CheckOutcome[]>> {
  const { journal, steps } = staged;
  const progress: SwapProgress = { begun: 0 };
  let outcomes: CheckOutcome[] = [];
  try {
    await withTree(parts.root, (tree) => swapIn(tree, staged, { progress, signal }));
    await withTree(parts.root, async (tree) => {
      await confirmSwap(tree, staged);
      await syncFoldersOf(parts, tree, { steps, others: [journal.moved] });
    });
    outcomes = await check();
    throwIfAborted(signal, PlanProtocolError);
    const failed = outcomes.find(({ status }) => status === "failed" || status === "timed_out");
    if (failed !== undefined)
      return await takeBack(parts, journals, { staged, progress, issues: [checkIssue(failed)] });
    await mark(parts, journal, { state: "committed" });
  } catch (error) {
    const undone = await takeBack(parts, journals, { staged, progress, issues: issuesOf(error) });
    if (PlanProtocolError.isInstance(error)) throw error;
    return undone;
  }
  await emptyParts(journal, ["staged", "backups"]);
  await unmarkOpen(journals, journal.transactionId);
  return success(outcomes);
}

const MAX_WHY = 500;

/** Undoes the transaction; the issues say why, and what could not be put back. */
async function takeBack(
  parts: WorkspaceParts,
  journals: Folder,
  { staged, progress, issues }: { staged: StagedPlan; progress: SwapProgress; issues: Issue[] },
): Promise<{ ok: false; issues: Issue[] }> {
  const { journal } = staged;
  try {
    // Where the mark of the commit is there but may not last, another outweighs it.
    if ((await stateOf(journal.folder)) === "committed")
      await mark(parts, journal, { state: "rolling_back" });
    // The first line: what a check printed may be long, and may be secret.
    const why = issues[0]?.message.split("\n", 1)[0]?.slice(0, MAX_WHY);
    const keptPaths = await undo(parts, journal, { begun: progress.begun, isLive: true, why });
    await unmarkOpen(journals, journal.transactionId);
    return { ok: false, issues: [...issues, ...keptIssues(keptPaths, issues)] };
  } catch (error) {
    const code = systemCode(error);
    const why = code ?? (error instanceof Error ? error.message : "unknown");
    const message = `Transaction ${journal.transactionId} could not be undone (${why}). Call recover() when that is repaired.`;
    return { ok: false, issues: [...issues, { code: "RECOVERY_REQUIRED", path: [], message }] };
  }
}

function keptIssues(keptPaths: readonly string[], issues: readonly Issue[]): Issue[] {
  const isKnown = new Set(
    issues.filter(({ code }) => code === "CONCURRENT_EDIT").map(({ path }) => path[0]),
  );
  return keptPaths
    .filter((path) => !isKnown.has(path))
    .map((path) => ({
      code: "CONCURRENT_EDIT",
      path: [path],
      message: `"${path}" was changed meanwhile, by a check or by someone else, and stays as it is; its old file is in the journal.`,
    }));
}

function issuesOf(error: unknown): Issue[] {
  const because =
    error instanceof StepConflict ? error.issue.message : (systemCode(error) ?? messageOf(error));
  const issue = {
    code: "APPLY_FAILED_ROLLED_BACK",
    path: [],
    message: `The plan was rolled back: ${because}`,
  };
  return error instanceof StepConflict ? [error.issue, issue] : [issue];
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function checkIssue({ name, status, exitCode, output, newFailures }: CheckOutcome): Issue {
  const then =
    newFailures === undefined
      ? ""
      : ` failed before the change as well, but not with ${newFailures.slice(0, 5).join(", ")}, and`;
  const how =
    status === "timed_out" ? "did not end in time" : `failed (exit code ${exitCode ?? "none"})`;
  return {
    code: "AUTO_CHECK_FAILED_ROLLED_BACK",
    path: ["checks", name],
    message: `The check "${name}"${then} ${how} after the change, which was rolled back.\n${output}`,
  };
}

function describeChange({
  action,
  base,
  content,
}: ResolvedPlan["actions"][number]): AppliedPlan["changes"][number] {
  return {
    kind: action.kind,
    path: action.path,
    sha256Before: base === undefined ? undefined : base.sha256,
    sha256After: content === undefined ? undefined : sha256Hex(content),
  };
}
