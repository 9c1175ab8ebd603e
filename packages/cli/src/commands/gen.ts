import { homedir } from "node:os";
import { join } from "node:path";

import {
  createPlanSession,
  type PlanEvent,
  type PlanSession,
  type PlanVersion,
  type Proposal,
  type ProposedPlan,
  type ValidPlan,
} from "@ccl/plan-protocol";
import { createTraceFiles, type FileWorkspace, openMemoryFiles } from "@ccl/plan-protocol/node";

import { CliError } from "../cli-error.ts";
import { writeOut } from "../deliver-pack.ts";
import { EXIT_CODES } from "../exit-code.ts";
import type { CommandResult } from "../output/command-result.ts";
import { printable, printableLines } from "../output/printable.ts";
import type { Style } from "../output/style.ts";
import { applyConfirmed, type ApplyFlags } from "../plan/apply-confirmed.ts";
import { type BackgroundFlags, genBackground } from "../plan/gen-background.ts";
import { type ModelFlags, openLanguageModel } from "../plan/open-language-model.ts";
import { planFailure } from "../plan/plan-failure.ts";
import { readInput } from "../plan/read-input.ts";
import { renderApplied, renderPreview } from "../plan/render-preview.ts";
import { withWorkspace } from "../plan/with-workspace.ts";
import type { Session } from "../session.ts";

/** Flags of `ccl gen`. */
export interface GenFlags extends ModelFlags, BackgroundFlags, ApplyFlags {
  /** A file with the output of a failing run. */
  report?: string | undefined;
  planOnly?: boolean | undefined;
  apply?: boolean | undefined;
  out?: string | undefined;
  schemaVersion?: PlanVersion | undefined;
  bestEffort?: boolean | undefined;
  trace?: boolean | undefined;
}

/** Asks a model for a change and shows it; files change only with `--apply`. */
export async function gen(session: Session, flags: GenFlags): Promise<CommandResult> {
  requireFitting(flags);
  const model = await openLanguageModel(session, flags);
  const background = await genBackground(session, flags);
  const report =
    flags.report === undefined ? undefined : await readInput(session, flags.report, "a report");
  const { signal } = session;
  return await withWorkspace(session, async (workspace) => {
    const memory = await openMemoryFiles(
      { userDirectory: userDirectory(session), root: session.root },
      { signal },
    );
    const planSession = createPlanSession({
      model,
      workspace,
      memory,
      root: workspace.root,
      responseFormat: flags.bestEffort === true ? "best-effort" : "strict",
      onEvent: showEvents(session),
      version: flags.schemaVersion,
      trace: flags.trace === true ? createTraceFiles({ root: session.root }) : undefined,
    });
    const options = {
      signal,
      background,
      report,
    };
    const ask = flags.planOnly === true ? planSession.plan : planSession.apply;
    const proposal = await ask(flags.task, options);
    session.progress.clear();
    if (!proposal.ok) throw planFailure(proposal.issues);
    return await deliver(session, flags, {
      planSession,
      proposal,
      proposed: proposal.value,
      workspace,
    });
  });
}

interface Delivery {
  planSession: PlanSession;
  proposal: Proposal;
  proposed: ProposedPlan;
  workspace: FileWorkspace;
}

async function deliver(
  session: Session,
  flags: GenFlags,
  { planSession, proposal, proposed }: Delivery,
): Promise<CommandResult> {
  const { plan, preview, isNoChange } = proposed;
  const written =
    flags.out === undefined ? [] : [await writeOut(flags.out, planText(plan), session)];
  const canApply = preview !== undefined && flags.apply === true;
  const applied = canApply
    ? await applyConfirmed(session, flags, {
        plan,
        preview,
        apply: (options) => planSession.commit(proposed, options),
      })
    : undefined;
  const calls = proposal.trace.events.filter(({ type }) => type === "LLM_RESPONSE_OK").length;
  return {
    document: {
      mode: proposed.mode,
      isNoChange,
      plan,
      preview,
      applied,
      traceId: proposal.trace.trace_id,
      calls,
      written,
    },
    text: (style) => {
      if (applied !== undefined) return renderApplied(applied, style);
      return preview === undefined
        ? `${printableLines(plan.summary)}\n`
        : renderPreview(plan, preview, style);
    },
    note: (style) => noteOf(proposed, { written, calls, isApplied: applied !== undefined }, style),
    exitCode: EXIT_CODES.ok,
  };
}

/** A plan as a model writes one: the mode is no part of it. */
function planText({ mode: _mode, ...plan }: ValidPlan): string {
  return `${JSON.stringify(plan, null, 2)}\n`;
}

function noteOf(
  { preview, suggestedMemory }: ProposedPlan,
  { written, calls, isApplied }: { written: string[]; calls: number; isApplied: boolean },
  { colours }: Style,
): string {
  const lines = written.map((path) => `wrote ${printable(path)}`);
  if (suggestedMemory !== undefined && suggestedMemory.applied.length > 0)
    lines.push(
      `The model suggests to remember ${suggestedMemory.applied.join(", ")}; nothing was remembered.`,
    );
  if (preview !== undefined && !isApplied)
    lines.push('Nothing was changed. "--apply" asks again and applies; "--out" keeps the plan.');
  lines.push(colours.dim(`${calls} model call${calls === 1 ? "" : "s"}`));
  return lines.map((line) => `${line}\n`).join("");
}

function requireFitting({ apply, planOnly, task }: GenFlags): void {
  if (task.trim() === "")
    throw new CliError("usage", "--task is empty. Say what is to be changed.");
  if (apply === true && planOnly === true)
    throw new CliError(
      "usage",
      "--plan-only changes nothing, so it cannot be combined with --apply.",
    );
}

/** Preferences of the person, beside all projects. */
function userDirectory({ terminal: { env, platform } }: Session): string {
  const given = platform === "win32" ? env["APPDATA"] : env["XDG_CONFIG_HOME"];
  return join(
    given === undefined || given === "" ? join(env["HOME"] ?? homedir(), ".config") : given,
    "ccl",
  );
}

function showEvents({ progress }: Session): (event: PlanEvent) => void {
  let calls = 0;
  return ({ type }) => {
    if (type === "LLM_REQUEST_SENT") calls += 1;
    progress.update(
      type === "CONTEXT_CACHE_MISS" ? "Reading for the model, call" : "Asking the model, call",
      calls,
    );
  };
}
