import { assertNotAborted, PlanProtocolError } from "../../plan-protocol-error.ts";
import { systemCode, unless } from "@ccl/core/node";
import { type Issue, type Result, sha256Hex, success } from "@ccl/core";

import type { ValidPlan } from "../../validate/valid-plan.ts";
import type { AppliedPlan, ApplyOptions, CheckOutcome } from "../../workspace/plan-workspace.ts";
import { isFailed, runChecks, uselessCheck } from "../checks/run-checks.ts";
import type { Folder } from "../file-system/folder.ts";
import { planIssue, quote, refusal } from "../../plan-issue.ts";
import {
  contentOf,
  type ResolvedAction,
  type ResolvedPlan,
  resolvePlan,
} from "../preview/resolve-plan.ts";
import type { WorkspaceParts } from "../file-system/workspace-parts.ts";
import { backUp, writeOld } from "./back-up.ts";
import {
  closeJournal,
  createJournal,
  emptyParts,
  isTransactionId,
  mark,
  openJournal,
  readDiff,
  recordChecks,
  removeJournal,
  stateOf,
  unmarkOpen,
  writeDiff,
  writeIntent,
} from "./journal.ts";
import { journalsPath, openJournals } from "./journals-folder.ts";
import { changedSteps } from "./path-state.ts";
import { findUnfinished } from "./recover.ts";
import { type StagedPlan, stagePlan } from "./stage-plan.ts";
import { StepConflict } from "./step.ts";
import { confirmSwap, swapIn, syncFoldersOf } from "./swap-in.ts";
import { keptIssues, undo } from "./undo.ts";

/** Applies a plan as one transaction. The caller must hold the workspace lock. */
export async function applyPlan(
  parts: WorkspaceParts,
  journals: Folder,
  { plan, options }: { plan: ValidPlan; options: ApplyOptions },
): Promise<Result<AppliedPlan>> {
  const { checks = [], mustPass = false, mayFail = false, shortenOutput, signal } = options;
  const unfinished = await findUnfinished(journals);
  if (unfinished.length > 0)
    return refusal(
      "RECOVERY_REQUIRED",
      `Transaction ${unfinished.join(", ")} was interrupted. Call recover() before the next apply.`,
    );
  const resolved = await resolvePlan(parts, plan);
  if (!resolved.ok) return resolved;
  const { planHash, actions } = resolved.value;
  if (options.confirm === undefined && resolved.value.needsConfirmation)
    return refusal(
      "CONFIRM_REQUIRED",
      "The plan deletes something. Preview it, and confirm with the preview's planHash.",
    );
  if (options.confirm !== undefined && options.confirm !== planHash)
    return refusal(
      "CONFIRM_REQUIRED",
      "The hash in confirm does not match this plan and its files. Preview the plan again.",
    );
  const how = { shortenOutput, signal };
  const before = mustPass ? [] : (options.before ?? (await runChecks(parts, checks, how)));
  const again = before.length === 0 ? resolved : await resolvePlan(parts, plan);
  if (!again.ok || again.value.planHash !== planHash)
    return refusal(
      "CONCURRENT_EDIT",
      'A file of the plan was changed while the checks ran, by one of them or by another program. Use checks that only read, such as "prettier --check" instead of "prettier --write".',
    );
  const useless = mayFail ? undefined : uselessCheck(before);
  if (useless !== undefined) return uselessRefusal(useless);
  const prepared = await prepare(parts, journals, { plan: resolved.value, signal });
  if (!prepared.ok) return prepared;
  const staged = prepared.value;
  try {
    const after = { before, mayFail };
    const check = checks.length > 0 ? () => runChecks(parts, checks, { ...how, after }) : undefined;
    const outcome = await carryOut(parts, staged, check, signal);
    if (!outcome.ok) return outcome;
    const changes = actions.map(describeChange);
    for (const { path } of changes) parts.readSet.delete(path);
    const { transactionId, steps, checked } = staged;
    const rewrittenPaths = steps
      .filter(({ change, key }) => change === "write" && key in (checked?.written ?? {}))
      .map(({ path }) => path);
    return success({ transactionId, changes, checks: outcome.value, rewrittenPaths });
  } finally {
    await closeJournal(staged);
  }
}

/** Does all the work that does not change the tree. Leaves nothing behind on failure. */
async function prepare(
  parts: WorkspaceParts,
  journals: Folder,
  { plan, signal }: { plan: ResolvedPlan; signal: AbortSignal | undefined },
): Promise<Result<StagedPlan>> {
  const transactionId = parts.ids.next();
  if (!isTransactionId(transactionId))
    throw new PlanProtocolError(
      "invalid_input",
      `The id generator returned ${quote(transactionId)}, which cannot be a folder name.`,
    );
  let staged: StagedPlan | undefined;
  try {
    assertNotAborted(signal);
    staged = await stagePlan(parts, journals, { plan, transactionId });
    await writeDiff(parts, staged);
    await backUp(parts, staged);
    assertNotAborted(signal);
    await writeIntent(parts, staged);
    assertNotAborted(signal);
    return success(staged);
  } catch (error) {
    if (staged !== undefined) await closeJournal(staged);
    await removeJournal(journals, transactionId).then(
      () => unmarkOpen(journals, transactionId),
      () => undefined,
    );
    if (error instanceof StepConflict) return { ok: false, issues: [error.issue] };
    const code = systemCode(error);
    if (code === undefined || PlanProtocolError.isInstance(error)) throw error;
    return refusal(
      "SNAPSHOT_FAILED",
      `The change could not be prepared (${code}). Nothing was changed.`,
    );
  }
}

async function carryOut(
  parts: WorkspaceParts,
  staged: StagedPlan,
  check: (() => Promise<CheckOutcome[]>) | undefined,
  signal: AbortSignal | undefined,
): Promise<Result<CheckOutcome[]>> {
  let outcomes: CheckOutcome[] = [];
  try {
    await swapIn(parts.root, staged, signal);
    await confirmSwap(parts.root, staged);
    await syncFoldersOf(parts, staged.steps, staged.moved);
    if (check !== undefined) outcomes = await runWatched(parts, staged, check);
    assertNotAborted(signal);
    const failed = outcomes.find(isFailed);
    if (failed !== undefined) return await takeBack(parts, staged, [checkIssue(failed)]);
    await mark(parts, staged, "committed");
  } catch (error) {
    const state = await unless(["ENOENT"], stateOf(staged.folder), "begun");
    if (state === "begun") return lostJournal(staged, reasonOf(error));
    const undone = await takeBack(parts, staged, issuesOf(error));
    const isUndone = !undone.issues.some(({ code }) => code === "RECOVERY_REQUIRED");
    if (isUndone && PlanProtocolError.isInstance(error)) throw error;
    return undone;
  }
  await emptyParts(staged, ["staged", "backups"]);
  await unmarkOpen(staged.journals, staged.transactionId);
  return success(outcomes);
}

/**
 * Runs the checks and records what they changed at the plan's paths, so that an undo attributes those changes to them.
 * Restores the journal if a check removed it.
 */
async function runWatched(
  parts: WorkspaceParts,
  staged: StagedPlan,
  check: () => Promise<CheckOutcome[]>,
): Promise<CheckOutcome[]> {
  await recordChecks(parts, staged, { isOver: false, written: {} });
  try {
    return await check();
  } finally {
    await reopenJournal(parts, staged);
    const changed = await changedSteps(parts.root, staged.steps);
    const written = Object.fromEntries(changed.map(({ step, state }) => [step.key, state ?? null]));
    await recordChecks(parts, staged, { isOver: true, written });
  }
}

/**
 * Reopens a transaction's journal after its checks. A check may have removed part or all of it, as `git clean -fdx`
 * does. In that case, rewrites its intent, its diff and its old files as they were read for the plan.
 */
async function reopenJournal(parts: WorkspaceParts, staged: StagedPlan): Promise<void> {
  const { transactionId, steps, begun } = staged;
  const journals = await openJournals(parts);
  try {
    let journal = await openJournal(journals, transactionId).catch(() => undefined);
    const isLost = journal === undefined;
    if (journal === undefined) {
      await removeJournal(journals, transactionId);
      journal = await createJournal(journals, staged);
    }
    await closeJournal(staged);
    Object.assign(staged, journal, { steps, begun, journals: staged.journals });
    if (!isLost && (await stateOf(journal.folder)) !== "intent")
      throw new Error(`Another process undid transaction ${transactionId}.`);
    for (const { key, before, base } of steps) {
      const isOld = before !== undefined && base?.bytes !== undefined;
      if (isOld && (await journal.moved.status(key)) === undefined)
        await writeOld(parts, journal.moved, key, base);
    }
    if ((await readDiff(journal.folder)) === undefined) await writeDiff(parts, staged);
    if (isLost) await writeIntent(parts, journal);
  } finally {
    await journals.close();
  }
}

/** Says that a check removed the journal, and that it could not be written again. */
function lostJournal({ transactionId, steps }: StagedPlan, reason: string): Result<never> {
  const paths = steps.map(({ path }) => quote(path)).join(", ");
  const message = `A check removed the journal of transaction ${transactionId}, and it could not be written again (${reason}). The plan's changes are in place and cannot be undone: ${paths}.`;
  return refusal("RECOVERY_REQUIRED", message);
}

const MAX_WHY = 500;

/** Undoes the transaction. The issues say why, and list anything that could not be restored. */
async function takeBack(
  parts: WorkspaceParts,
  staged: StagedPlan,
  issues: Issue[],
): Promise<{ ok: false; issues: Issue[] }> {
  const { journals, transactionId, steps } = staged;
  try {
    // If the commit marker exists but may not be durable, the rollback marker overrides it.
    if ((await stateOf(staged.folder)) === "committed") await mark(parts, staged, "rolling_back");
    // Only the first line, since check output can be long or secret.
    const why = issues[0]?.message.split("\n", 1)[0]?.slice(0, MAX_WHY);
    const { keptPaths, writtenPaths } = await undo(parts, staged, { isLive: true, why });
    await unmarkOpen(journals, transactionId);
    const folder = `${journalsPath(parts)}/${transactionId}/written`;
    const written = writtenPaths.map((path) => {
      const key = steps.find((step) => step.path === path)?.key;
      const message = `${quote(path)} was written while the checks ran. It was restored to its state before the plan. The written file is stored as ${folder}/${key}.`;
      return planIssue("AUTO_CHECK_FAILED_ROLLED_BACK", message, [path]);
    });
    const isKnown = (path: string): boolean =>
      issues.some((issue) => issue.code === "CONCURRENT_EDIT" && issue.path[0] === path);
    const kept = await keptIssues(
      staged,
      keptPaths.filter((path) => !isKnown(path)),
    );
    return { ok: false, issues: [...issues, ...written, ...kept] };
  } catch (error) {
    const message = `Transaction ${transactionId} could not be undone (${reasonOf(error)}). Fix that, then call recover().`;
    return { ok: false, issues: [...issues, planIssue("RECOVERY_REQUIRED", message)] };
  }
}

function issuesOf(error: unknown): Issue[] {
  const conflict = error instanceof StepConflict ? [error.issue] : [];
  const message = `The plan was rolled back: ${reasonOf(error)}`;
  return [...conflict, planIssue("APPLY_FAILED_ROLLED_BACK", message)];
}

function reasonOf(error: unknown): string {
  return systemCode(error) ?? (error instanceof Error ? error.message : String(error));
}

function checkIssue({ name, status, exitCode, output, newFailures }: CheckOutcome): Issue {
  const then =
    newFailures === undefined
      ? ""
      : ` failed before the change as well, but not with ${newFailures.slice(0, 5).join(", ")}, and`;
  const message = `The check "${name}"${then} ${howItFailed({ status, exitCode })} after the change, which was rolled back.\n${output}`;
  return planIssue("AUTO_CHECK_FAILED_ROLLED_BACK", message, ["checks", name]);
}

function uselessRefusal({ name, output, ...outcome }: CheckOutcome): ReturnType<typeof refusal> {
  const message = `The check "${name}" ${howItFailed(outcome)} before the change, so it cannot show what the change breaks. Nothing was changed. Fix the check, or set mustPass if the change should fix it, or mayFail to apply the change anyway.\n${output}`;
  return refusal("AUTO_CHECK_FAILED_BEFORE", message, ["checks", name]);
}

function howItFailed({ status, exitCode }: Pick<CheckOutcome, "status" | "exitCode">): string {
  return status === "timed_out" ? "timed out" : `failed (exit code ${exitCode ?? "none"})`;
}

function describeChange(resolved: ResolvedAction): AppliedPlan["changes"][number] {
  const { action, base } = resolved;
  const content = contentOf(resolved);
  return {
    kind: action.kind,
    path: action.path,
    sha256Before: base?.sha256,
    sha256After: content && sha256Hex(content),
  };
}
