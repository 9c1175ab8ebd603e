import { appendFileSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

import {
  type AppliedPlan,
  createPlanSession,
  detectMode,
  editFormatFor,
  type PlanEvent,
  type PlanSession,
  type PlanVersion,
  type Proposal,
  type ProposedPlan,
  type ProposeOptions,
} from "@ccl/plan-protocol";
import type { Result } from "@ccl/core";
import type { FileWorkspace } from "@ccl/plan-protocol/node";

import { CliError, usageError } from "../cli-error.ts";
import { writeOut } from "../deliver-pack.ts";
import { formatCount, formatNumber, printable, printableLines } from "../output/text.ts";
import {
  applyConfirmed,
  type ApplyFlags,
  checksOf,
  shortenOutput,
} from "../plan/apply-confirmed.ts";
import { type BackgroundFlags, genBackground } from "../plan/gen-background.ts";
import { createMeteredModel, type Spending, type SpendingLimits } from "../plan/metered-model.ts";
import { type ModelFlags, openLanguageModel } from "../plan/open-language-model.ts";
import { planFailure, requireDone } from "../plan/plan-failure.ts";
import { readInput } from "../plan/read-input.ts";
import { renderApplied, renderPreview } from "../plan/render-preview.ts";
import {
  forgetSaved,
  planText,
  readSavedSteps,
  saveChange,
  saveSteps,
} from "../plan/saved-plan.ts";
import { memoryOf } from "./memory.ts";
import { withWorkspace, type WorkspaceFlags } from "../plan/with-workspace.ts";
import type { CommandResult, Session } from "../session.ts";

/** Flags of `ccl gen`. */
interface GenFlags extends ModelFlags, BackgroundFlags, ApplyFlags, WorkspaceFlags, SpendingLimits {
  /** A file with the output of a failing run. */
  report?: string | undefined;
  planOnly?: boolean | undefined;
  apply?: boolean | undefined;
  /** Number of changes to try until all checks pass. */
  untilGreen?: number | undefined;
  out?: string | undefined;
  schemaVersion?: PlanVersion | undefined;
  bestEffort?: boolean | undefined;
  trace?: boolean | undefined;
  /** Time limit for one answer of the model. */
  timeout?: number | undefined;
  verbose?: boolean | undefined;
}

/** State of one run. */
interface Gen {
  session: Session;
  flags: GenFlags;
  goal: string;
  /** True for "ok", "apply" and the like, which refer to the saved plan. */
  isGoAhead: boolean;
  workspace: FileWorkspace;
  planSession: PlanSession;
  spending: Spending;
}

/** Asks a model for a change and shows it. Changes files only with `--apply` or `--until-green`. */
export async function gen(session: Session, goal: string, flags: GenFlags): Promise<CommandResult> {
  requireFitting(goal, flags);
  const isGoAhead = detectMode(goal, { savedPlan: true }).reason === "trigger";
  const savedPlan = isGoAhead ? await readSavedSteps(session) : undefined;
  const model = createMeteredModel(await openLanguageModel(session, flags), flags, (chars) =>
    session.progress.update("Receiving the answer, characters", chars),
  );
  return withWorkspace(session, flags, async (workspace) => {
    requireRecovered(workspace, flags);
    const planSession = createPlanSession({
      model,
      workspace,
      memory: memoryOf(session),
      savedPlan,
      policy: workspace.policy,
      limits: workspace.limits,
      root: workspace.root,
      // With `--schema-version` the model writes the plan as JSON.
      editFormat: flags.schemaVersion === undefined ? editFormatFor(model.modelId) : "json",
      responseFormat: flags.bestEffort ? "best-effort" : "strict",
      request: flags.timeout === undefined ? undefined : { timeoutMs: flags.timeout * 1000 },
      onEvent: await watchEvents(session, flags),
      version: flags.schemaVersion,
    });
    const { spending } = model;
    return run({ session, flags, goal, isGoAhead, workspace, planSession, spending });
  });
}

async function run(context: Gen): Promise<CommandResult> {
  const { session, flags, goal, isGoAhead, planSession } = context;
  const { signal } = session;
  // A saved plan already has its context.
  const background = isGoAhead ? {} : await genBackground(session, goal, flags);
  const report =
    flags.report === undefined
      ? await reportOfChecks(context)
      : await readInput(session, flags.report, "a report");
  const first: ProposeOptions = { ...background, report, signal };
  if (flags.planOnly) return deliver(context, await planSession.plan(goal, first), undefined);
  const attempts = flags.untilGreen ?? 1;
  let options = first;
  for (let attempt = 1; ; attempt += 1) {
    const proposal = await planSession.apply(isGoAhead ? "" : goal, options);
    session.progress.clear();
    const proposed = requireDone(proposal);
    const outcome = await applyIfAsked(context, proposed);
    if (outcome === undefined || outcome.ok)
      return deliver(context, proposal, outcome?.value, attempt);
    const hasFailedCheck = outcome.issues.some(
      ({ code }) => code === "AUTO_CHECK_FAILED_ROLLED_BACK",
    );
    if (!hasFailedCheck || attempt >= attempts) throw planFailure(outcome.issues);
    const what = outcome.issues.map(({ message }) => message).join("\n");
    showLine(
      context,
      `Change ${attempt} of up to ${attempts} was rolled back because a check failed.`,
    );
    options = { ...background, report: reportOf(proposed, what), signal };
  }
}

async function applyIfAsked(
  context: Gen,
  proposed: ProposedPlan,
): Promise<Result<AppliedPlan> | undefined> {
  const { session, flags, planSession } = context;
  const { plan, preview } = proposed;
  const isAsked = flags.apply === true || flags.untilGreen !== undefined;
  if (preview === undefined || !isAsked) return undefined;
  const applied = await applyConfirmed(session, flags, {
    plan,
    preview,
    apply: (options) =>
      planSession.commit(proposed, {
        ...options,
        mustPass: flags.untilGreen !== undefined || options.mustPass,
      }),
  });
  if (applied.ok) await forgetSaved(session);
  return applied;
}

/** Reports to the model which checks fail before any change. */
async function reportOfChecks({ session, flags, workspace }: Gen): Promise<string | undefined> {
  if (flags.untilGreen === undefined) return undefined;
  const { signal, progress } = session;
  const checks = checksOf(flags);
  progress.update("Checking", checks.length);
  const outcomes = await workspace.check(checks, { signal, shortenOutput });
  const failed = outcomes.filter(({ status }) => status !== "passed");
  if (failed.length === 0) return undefined;
  return failed.map(({ name, output }) => `$ ${name}\n${output}`).join("\n\n");
}

/** Describes to the model which of its changes were undone, and which check failed. */
function reportOf({ preview }: ProposedPlan, what: string): string {
  const diffs = preview?.changes.map(({ diff }) => diff).join("") ?? "";
  return `These changes were applied, and undone again because a check failed. The files are as CONTEXT and BACKGROUND show them.\n${diffs}\n${what}`;
}

async function deliver(
  context: Gen,
  proposal: Proposal,
  applied: AppliedPlan | undefined,
  attempts = 1,
): Promise<CommandResult> {
  const { session, flags, planSession, spending } = context;
  const proposed = requireDone(proposal);
  const { plan, preview, mode, isNoChange } = proposed;
  const written =
    flags.out === undefined ? [] : [await writeOut(flags.out, planText(plan), session)];
  const isOpen = preview !== undefined && applied === undefined;
  // Steps that the user asked for, or that replace changes to files that have changed since.
  const { savedPlan } = planSession;
  const saved = isOpen
    ? await saveChange(session, plan)
    : savedPlan && (await saveSteps(session, savedPlan));
  return {
    isCommitted: applied !== undefined,
    document: {
      mode,
      isNoChange,
      plan,
      preview,
      applied,
      traceId: proposal.traceId,
      attempts,
      ...spending,
      saved,
      written,
    },
    text: (style) => {
      if (applied !== undefined) return renderApplied(applied, style);
      return preview === undefined
        ? `${printableLines(plan.summary)}\n`
        : renderPreview(plan, preview, style);
    },
    note: ({ colours }) =>
      [
        ...written.map((path) => `wrote ${printable(path)}`),
        ...remarksOn(proposed),
        ...(applied === undefined ? [] : (preview?.remarks ?? []).map(printable)),
        ...(isOpen
          ? ['Nothing was changed. "ccl plan apply" applies this change.']
          : saved === undefined
            ? []
            : ['Nothing was changed. "ccl gen ok --apply" carries out the plan.']),
        `${colours.dim(describeSpending(spending))}\n`,
      ].join("\n"),
  };
}

function remarksOn({ suggestedMemory, changed }: ProposedPlan): string[] {
  const lines: string[] = [];
  if (changed.length > 0)
    lines.push(
      `Changed since the plan, so this is a new plan: ${changed.map(printable).join(", ")}.`,
    );
  if (suggestedMemory !== undefined && suggestedMemory.applied.length > 0)
    lines.push(
      `The model suggests remembering ${suggestedMemory.applied.join(", ")}. Nothing was stored; "ccl memory set" stores values.`,
    );
  return lines;
}

function describeSpending({ calls, tokens, usd }: Spending): string {
  const cost = usd === undefined || usd === 0 ? "" : `, $${usd.toFixed(4)}`;
  return `${formatCount(calls, "model call")}, ${formatNumber(tokens)} tokens${cost}`;
}

/**
 * Throws before the first paid call if a killed process left an unfinished transaction, since that blocks every plan.
 */
function requireRecovered({ unfinished }: FileWorkspace, { apply, untilGreen }: GenFlags): void {
  if (unfinished.length === 0 || (!apply && untilGreen === undefined)) return;
  throw new CliError(
    "plan_conflict",
    `Transaction ${unfinished.join(", ")} is unfinished or still running. "ccl plan recover" rolls back what an ended process left.`,
  );
}

function requireFitting(goal: string, { untilGreen, check = [] }: GenFlags): void {
  if (goal.trim() === "") throw usageError("The goal is empty. Say what to change.");
  if (untilGreen !== undefined && check.length === 0)
    throw usageError("--until-green needs a check that has to pass: pass --check.");
}

function showLine({ session }: Gen, text: string): void {
  session.progress.clear();
  if (!session.isJson) session.terminal.stderr.write(`${text}\n`);
}

/** Shows events on stderr and keeps them in a file, as the flags say. */
async function watchEvents(
  session: Session,
  { verbose, trace }: GenFlags,
): Promise<(event: PlanEvent) => void> {
  const append = trace ? await openTrace(session) : undefined;
  let calls = 0;
  return (event) => {
    append?.(event);
    const { type } = event;
    if (type === "LLM_REQUEST_SENT") calls += 1;
    if (verbose) {
      session.progress.clear();
      session.terminal.stderr.write(`${type} ${printable(JSON.stringify(event))}\n`);
    }
    session.progress.update(
      type === "CONTEXT_CACHE_MISS" ? "Reading for the model, call" : "Asking the model, call",
      calls,
    );
  };
}

/** Appends each event to `.ccl/traces/<id>.jsonl`, which only the owner can read and git ignores. */
async function openTrace({ root }: Session): Promise<(event: PlanEvent) => void> {
  const folder = join(root, ".ccl", "traces");
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await writeFile(join(folder, ".gitignore"), "*\n");
  return (event) =>
    appendFileSync(join(folder, `${event.trace_id}.jsonl`), `${JSON.stringify(event)}\n`);
}
