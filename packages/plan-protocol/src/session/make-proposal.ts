import { assertNotAborted, PlanProtocolError } from "../plan-protocol-error.ts";
import { redactSecrets, type Result } from "@ccl/core";

import { autoCollectRequests } from "../context/auto-collect-requests.ts";
import { applyMemoryPatch } from "../memory/apply-memory-patch.ts";
import type { ContextRequest } from "../plan/plan.ts";
import type { PlanMemory } from "../memory/plan-memory.ts";
import { renderMemoryBlock } from "../memory/render-memory-block.ts";
import { createEventRecorder, type EventRecorder, redactValue } from "../trace/event-recorder.ts";
import type { ConfigSnapshot } from "../trace/plan-event.ts";
import type { PlanMode } from "../validate/valid-plan.ts";
import { defaultModelRequest } from "./ask-model.ts";
import type { CheckedPlan } from "./check-plan.ts";
import { gatherContext, rereadFiles } from "./gather-context.ts";
import type { PlanCycle } from "./plan-cycle.ts";
import type { Proposal, ProposedPlan } from "./plan-session.ts";
import type { ProposalRun, SessionSettings } from "./proposal-run.ts";
import { runProposal } from "./run-proposal.ts";

/** A proposal's input. */
export interface ProposalStart {
  mode: PlanMode;
  goal: string;
  /** Mutated while the proposal runs. */
  cycle: PlanCycle;
  /** Files to show initially. */
  files: readonly string[];
  memory: PlanMemory;
  signal: AbortSignal | undefined;
}

/** Creates one proposal. The caller updates the session state. @throws what the model throws */
export async function makeProposal(
  settings: SessionSettings,
  { mode, goal, cycle, files, memory, signal }: ProposalStart,
): Promise<{ proposal: Proposal; recorder: EventRecorder; cycle: PlanCycle }> {
  const recorder = createEventRecorder(settings.ids.next(), settings);
  recorder.emit({
    type: "PROPOSAL_STARTED",
    mode,
    goal: redactSecrets(goal).text,
    config: configOf(settings),
  });
  const memoryBlock = renderMemoryBlock(memory);
  const run: ProposalRun = {
    ...settings,
    mode,
    cycle,
    goal,
    memoryBlock,
    changed: [],
    recorder,
    signal,
  };
  try {
    await collectContext(run, files);
    const result = await runProposal(run);
    assertNotAborted(signal);
    return { proposal: finish(run, result, memory), recorder, cycle };
  } catch (error) {
    const outcome = signal?.aborted === true ? "aborted" : "error";
    recorder.emit({ type: "PROPOSAL_ENDED", mode: run.mode, outcome });
    throw abortOf(error, signal);
  }
}

/** Returns the error for an aborted call, whichever code noticed the abort. */
export function abortOf(error: unknown, signal: AbortSignal | undefined): unknown {
  if (signal?.aborted !== true) return error;
  if (PlanProtocolError.isInstance(error) && error.code === "aborted") return error;
  return new PlanProtocolError(
    "aborted",
    "The call was aborted; the session is as it was before.",
    { cause: error },
  );
}

function finish(run: ProposalRun, result: Result<CheckedPlan>, memory: PlanMemory): Proposal {
  const { recorder, mode } = run;
  const { traceId } = recorder;
  if (!result.ok) {
    recorder.emit({ type: "PROPOSAL_ENDED", mode, outcome: "failed" });
    return { ...result, traceId };
  }
  const { plan, preview } = result.value;
  recorder.emit({ type: "PROPOSAL_ENDED", mode, outcome: "ok", plan: redactValue(plan) });
  const hasPatch = Object.keys(plan.memory_patch).length > 0;
  const value: ProposedPlan = {
    mode,
    plan,
    preview,
    isNoChange: mode === "apply" && plan.actions.length === 0,
    changed: run.changed,
    suggestedMemory: hasPatch ? applyMemoryPatch(memory, plan.memory_patch) : undefined,
  };
  return { ok: true, value, traceId };
}

/**
 * Reads the context that the goal and report name, before the first model call. Rereads a saved plan's files. If any
 * has changed, the proposal becomes a plan again.
 */
async function collectContext(run: ProposalRun, files: readonly string[]): Promise<void> {
  const { root, workspace, cycle, limits, signal } = run;
  if (workspace === undefined) return;
  const { goal, report, shownFiles } = cycle;
  const isContinued = cycle.savedPlan !== undefined;
  if (isContinued) {
    run.changed = await rereadFiles(run);
    for (const { request, priority } of cycle.entries.filter(({ blocks }) => blocks.length === 0))
      await gatherContext(run, [request], { priority: () => priority });
  }
  const named = files.map((path): ContextRequest => ({ type: "read_file", path }));
  const traced = isContinued ? [] : autoCollectRequests({ goal, report, root });
  await gatherContext(run, [...named, ...traced].slice(0, limits.maxContextFiles), {
    priority: (request) => (request.type === "read_file" ? 1 : 2),
  });
  const shown = shownFiles.map((path): ContextRequest => ({ type: "read_file", path }));
  if (shown.length > 0) await workspace.read(shown, { signal });
  if (run.changed.length > 0) run.mode = "plan";
}

function configOf(settings: SessionSettings): ConfigSnapshot {
  const { model, version, responseFormat, editFormat, request, limits } = settings;
  return {
    provider: model.provider,
    model: model.modelId,
    schema_version: version,
    response_format: responseFormat,
    edit_format: editFormat,
    request: Object.fromEntries(
      Object.entries({ ...defaultModelRequest, ...request }).filter(
        // Options passed through to a provider may contain anything.
        ([name, value]) => value !== undefined && name !== "providerOptions",
      ),
    ),
    limits,
  };
}
