import { assertNotAborted, PlanProtocolError } from "../../plan-protocol-error.ts";
import { traced } from "@ccl/core/tracing";
import { systemCode } from "@ccl/core/node";
import { type Issue, type Result, sha256Hex, success } from "@ccl/core";

import type { ValidPlan } from "../../validate/valid-plan.ts";
import type { AppliedPlan, ApplyOptions, CheckOutcome } from "../../workspace/plan-workspace.ts";
import { runChecks, runChecksAfter, uselessCheck } from "../checks/check-round.ts";
import type { Folder } from "../file-system/folder.ts";
import { planIssue, quote, refusal } from "../../plan-issue.ts";
import { type ResolvedPlan, resolvePlan } from "./resolve-plan.ts";
import type { WorkspaceParts } from "../file-system/workspace-parts.ts";
import { backUp } from "./back-up.ts";
import {
  closeJournal,
  emptyParts,
  isTransactionId,
  type Journal,
  mark,
  recordChecks,
  removeJournal,
  stateOf,
  unmarkOpen,
  writeDiff,
  writeIntent,
} from "./journal.ts";
import { journalsPath } from "./journals-folder.ts";
import { changedSteps } from "./path-state.ts";
import { findUnfinished } from "./recover.ts";
import { reopenJournal } from "./reopen-journal.ts";
import { type StagedPlan, stagePlan } from "./stage-plan.ts";
import { StepConflict } from "./step.ts";
import { confirmSwap, swapIn, syncFoldersOf } from "./swap-in.ts";
import { undo } from "./undo.ts";

/** What to apply. */
interface ApplyInput {
  plan: ValidPlan;
  options: ApplyOptions;
  /** Computes the diff stored with the transaction. */
  diffOf: (plan: ResolvedPlan) => string;
}

/** Applies a plan as one transaction. The caller must hold the workspace lock. */
export function applyPlan(
  parts: WorkspaceParts,
  journals: Folder,
  input: ApplyInput,
): Promise<Result<AppliedPlan>> {
  const attributes = { "ccl.plan.actions": input.plan.actions.length };
  return traced("apply plan", attributes, async (span) => {
    const applied = await apply(parts, journals, input);
    span.set({ "ccl.plan.applied": applied.ok });
    return applied;
  });
}

async function apply(
  parts: WorkspaceParts,
  journals: Folder,
  { plan, options, diffOf }: ApplyInput,
): Promise<Result<AppliedPlan>> {
  const { checks = [], mustPass = false, mayFail = false, confirm } = options;
  const { shortenOutput, signal } = options;
  const unfinished = await findUnfinished(journals);
  if (unfinished.length > 0)
    return refusal(
      "RECOVERY_REQUIRED",
      `Transaction ${unfinished.join(", ")} was interrupted. Call recover() before the next apply.`,
    );
  const resolved = await resolvePlan(parts, plan);
  if (!resolved.ok) return resolved;
  const refused = checkConfirmation(resolved.value, confirm);
  if (refused !== undefined) return refused;
  const how = { shortenOutput, signal };
  const before = mustPass ? [] : (options.before ?? (await runChecks(parts, checks, how)));
  const again = before.length === 0 ? resolved : await resolvePlan(parts, plan);
  if (!again.ok || again.value.planHash !== resolved.value.planHash)
    return refusal(
      "CONCURRENT_EDIT",
      'A file of the plan was changed while the checks ran, by one of them or by someone else. Give checks that only look, such as "prettier --check" in place of "prettier --write".',
    );
  const useless = mayFail ? undefined : uselessCheck(before);
  if (useless !== undefined) return uselessRefusal(useless);
  const prepared = await prepare(parts, journals, { plan: resolved.value, diffOf, signal });
  if (!prepared.ok) return prepared;
  const staged = prepared.value;
  try {
    const check = (): Promise<CheckOutcome[]> =>
      runChecksAfter(parts, checks, { before, mayFail, ...how });
    const hasChecks = checks.length > 0;
    const outcome = await carryOut(parts, staged, { check: hasChecks ? check : undefined, signal });
    if (!outcome.ok) return outcome;
    const changes = resolved.value.actions.map(describeChange);
    for (const { path } of changes) parts.readSet.delete(path);
    const { transactionId, steps, checked } = staged.journal;
    const rewrittenPaths = steps
      .filter(
        ({ change }, index) => change === "write" && String(index) in (checked?.written ?? {}),
      )
      .map(({ path }) => path);
    return success({ transactionId, changes, checks: outcome.value, rewrittenPaths });
  } finally {
    await closeJournal(staged.journal);
  }
}

function checkConfirmation(
  { planHash, needsConfirmation }: ResolvedPlan,
  confirm: string | undefined,
): { ok: false; issues: Issue[] } | undefined {
  if (confirm === undefined)
    return needsConfirmation
      ? refusal(
          "CONFIRM_REQUIRED",
          "The plan deletes something. Preview it, and confirm with the preview's planHash.",
        )
      : undefined;
  return confirm === planHash
    ? undefined
    : refusal(
        "CONFIRM_REQUIRED",
        "The confirmed hash is of another plan, or its files have changed. Preview it again.",
      );
}

/** Does all the work that does not change the tree. Leaves nothing behind on failure. */
async function prepare(
  parts: WorkspaceParts,
  journals: Folder,
  {
    plan,
    diffOf,
    signal,
  }: { plan: ResolvedPlan; diffOf: ApplyInput["diffOf"]; signal: AbortSignal | undefined },
): Promise<Result<StagedPlan>> {
  const transactionId = parts.ids.next();
  if (!isTransactionId(transactionId))
    throw new PlanProtocolError(
      "invalid_input",
      "The id generator returned an id that cannot name a folder.",
    );
  let staged: StagedPlan | undefined;
  try {
    assertNotAborted(signal);
    staged = await stagePlan(parts, journals, { plan, transactionId });
    await writeDiff(parts, staged.journal, diffOf(plan));
    await backUp(parts, staged);
    assertNotAborted(signal);
    await writeIntent(parts, staged.journal);
    assertNotAborted(signal);
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
    return refusal(
      "SNAPSHOT_FAILED",
      `The change could not be prepared (${code}). Nothing was changed.`,
    );
  }
}

async function carryOut(
  parts: WorkspaceParts,
  staged: StagedPlan,
  {
    check,
    signal,
  }: { check: (() => Promise<CheckOutcome[]>) | undefined; signal: AbortSignal | undefined },
): Promise<Result<CheckOutcome[]>> {
  let outcomes: CheckOutcome[] = [];
  try {
    await swapIn(parts.root, staged, signal);
    await confirmSwap(parts.root, staged);
    await syncFoldersOf(parts, { steps: staged.steps, others: [staged.journal.moved] });
    if (check !== undefined) outcomes = await runWatched(parts, staged, check);
    assertNotAborted(signal);
    const failed = outcomes.find(({ status }) => status === "failed" || status === "timed_out");
    if (failed !== undefined) return await takeBack(parts, staged, [checkIssue(failed)]);
    await mark(parts, staged.journal, "committed");
  } catch (error) {
    const undone = await takeBack(parts, staged, issuesOf(error));
    if (PlanProtocolError.isInstance(error)) throw error;
    return undone;
  }
  await emptyParts(staged.journal, ["staged", "backups"]);
  await unmarkOpen(staged.journal.journals, staged.journal.transactionId);
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
  await recordChecks(parts, staged.journal, { isOver: false, written: {} });
  try {
    return await check();
  } finally {
    await reopenJournal(parts, staged);
    const changed = await changedSteps(parts.root, staged.journal.steps);
    const written = Object.fromEntries(changed.map(({ key, state }) => [key, state ?? null]));
    await recordChecks(parts, staged.journal, { isOver: true, written });
  }
}

const MAX_WHY = 500;

/** Undoes the transaction. The issues say why, and list anything that could not be restored. */
async function takeBack(
  parts: WorkspaceParts,
  { journal, begun }: StagedPlan,
  issues: Issue[],
): Promise<{ ok: false; issues: Issue[] }> {
  try {
    // If the commit marker exists but may not be durable, the rollback marker overrides it.
    if ((await stateOf(journal.folder)) === "committed") await mark(parts, journal, "rolling_back");
    // Only the first line, since check output can be long or secret.
    const why = issues[0]?.message.split("\n", 1)[0]?.slice(0, MAX_WHY);
    const { keptPaths, writtenPaths } = await undo(parts, journal, { begun, isLive: true, why });
    await unmarkOpen(journal.journals, journal.transactionId);
    const written = writtenPaths.map((path) => writtenIssue(parts, journal, path));
    return { ok: false, issues: [...issues, ...written, ...keptIssues(keptPaths, issues)] };
  } catch (error) {
    const message = `Transaction ${journal.transactionId} could not be undone (${reasonOf(error)}). Call recover() when that is repaired.`;
    return { ok: false, issues: [...issues, planIssue("RECOVERY_REQUIRED", message)] };
  }
}

function writtenIssue(parts: WorkspaceParts, journal: Journal, path: string): Issue {
  const key = journal.steps.findIndex((step) => step.path === path);
  const place = `${journalsPath(parts)}/${journal.transactionId}/written/${key}`;
  const message = `${quote(path)} was written while the checks ran. It is as it was before the plan; what was written is kept as ${place}.`;
  return planIssue("AUTO_CHECK_FAILED_ROLLED_BACK", message, [path]);
}

function keptIssues(keptPaths: readonly string[], issues: readonly Issue[]): Issue[] {
  const isKnown = new Set(
    issues.filter(({ code }) => code === "CONCURRENT_EDIT").map(({ path }) => path[0]),
  );
  return keptPaths
    .filter((path) => !isKnown.has(path))
    .map((path) =>
      planIssue(
        "CONCURRENT_EDIT",
        `"${path}" was changed meanwhile, by a check or by someone else, and stays as it is; its old file is in the journal.`,
        [path],
      ),
    );
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
  const message = `The check "${name}" ${howItFailed(outcome)} before the change, and can't show what the change breaks. Nothing was changed. Repair the check, give mustPass if the change is to repair it, or mayFail to apply it all the same.\n${output}`;
  return refusal("AUTO_CHECK_FAILED_BEFORE", message, ["checks", name]);
}

function howItFailed({ status, exitCode }: Pick<CheckOutcome, "status" | "exitCode">): string {
  return status === "timed_out" ? "timed out" : `failed (exit code ${exitCode ?? "none"})`;
}

function describeChange({
  action,
  base,
  content,
}: ResolvedPlan["actions"][number]): AppliedPlan["changes"][number] {
  return {
    kind: action.kind,
    path: action.path,
    sha256Before: base?.sha256,
    sha256After: content === undefined ? undefined : sha256Hex(content),
  };
}
