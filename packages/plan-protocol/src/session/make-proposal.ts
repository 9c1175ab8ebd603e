import { redactSecrets, type Result } from "@ccl/core";
import { withoutUndefined } from "@ccl/core/json";

import { autoCollectRequests } from "../context/auto-collect-requests.ts";
import { applyMemoryPatch } from "../memory/apply-memory-patch.ts";
import { assertNotAborted } from "../plan-protocol-error.ts";
import { redactValue } from "../trace/event-recorder.ts";
import type { ConfigSnapshot } from "../trace/plan-event.ts";
import { defaultModelRequest } from "./ask-model.ts";
import type { CheckedPlan } from "./check-plan.ts";
import { gatherContext, requestsOf, rereadContext } from "./gather-context.ts";
import type { Proposal, ProposedPlan } from "./plan-session.ts";
import type { ProposalRun } from "./proposal-run.ts";
import { runProposal } from "./run-proposal.ts";

/** Creates one proposal, showing these files from the start. @throws what the model throws */
export async function makeProposal(run: ProposalRun, files: readonly string[]): Promise<Proposal> {
  const { recorder, signal } = run;
  const goal = redactSecrets(run.goal).text;
  recorder.emit({ type: "PROPOSAL_STARTED", mode: run.mode, goal, config: configOf(run) });
  try {
    await collectContext(run, files);
    const result = await runProposal(run);
    assertNotAborted(signal);
    return finish(run, result);
  } catch (error) {
    const outcome = signal?.aborted === true ? "aborted" : "error";
    recorder.emit({ type: "PROPOSAL_ENDED", mode: run.mode, outcome });
    throw error;
  }
}

function finish(run: ProposalRun, result: Result<CheckedPlan>): Proposal {
  const { recorder, mode, remembered, changed } = run;
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
    changed,
    suggestedMemory: hasPatch ? applyMemoryPatch(remembered, plan.memory_patch) : undefined,
  };
  return { ok: true, value, traceId };
}

/**
 * Reads the context that the goal and report name, before the first model call. Rereads a saved plan's context. If a
 * file has changed, the proposal becomes a plan again.
 */
async function collectContext(run: ProposalRun, files: readonly string[]): Promise<void> {
  const { root, workspace, cycle, limits, signal } = run;
  if (workspace === undefined) return;
  const { goal, report, shownFiles } = cycle;
  const isContinued = cycle.savedPlan !== undefined;
  if (isContinued) run.changed = await rereadContext(run);
  const traced = isContinued ? [] : autoCollectRequests({ goal, report, root });
  const requests = [...requestsOf(files), ...traced].slice(0, limits.maxContextFiles);
  await gatherContext(run, requests, ({ type }) => (type === "read_file" ? 1 : 2));
  if (shownFiles.length > 0) await workspace.read(requestsOf(shownFiles), { signal });
  if (run.changed.length > 0) run.mode = "plan";
}

function configOf(run: ProposalRun): ConfigSnapshot {
  const { model, version, responseFormat, editFormat, limits } = run;
  // Options passed through to a provider may contain anything.
  const request = { ...defaultModelRequest, ...run.request, providerOptions: undefined };
  return {
    provider: model.provider,
    model: model.modelId,
    schema_version: version,
    response_format: responseFormat,
    edit_format: editFormat,
    request: withoutUndefined(request),
    limits,
  };
}
