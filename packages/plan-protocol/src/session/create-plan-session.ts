import { assertNotAborted, PlanProtocolError } from "../plan-protocol-error.ts";
import { withoutUndefined } from "@ccl/core/json";
import { createUuidV7Generator, redactSecrets, type Result, systemClock } from "@ccl/core";
import { createFormatLadder } from "@ccl/structured-output";

import { defaultPlanLimits } from "../limits/plan-limits.ts";
import type { PlanMemory } from "../memory/plan-memory.ts";
import { defaultPlanVersion, planVersions } from "../plan/action-kinds.ts";
import type { EventRecorder } from "../trace/event-recorder.ts";
import type { PlanMode } from "../validate/valid-plan.ts";
import type { AppliedPlan, ApplyOptions } from "../workspace/plan-workspace.ts";
import { detectMode } from "./detect-mode.ts";
import { fromSavedPlan, type PlanCycle, type SavedPlan, toSavedPlan } from "./plan-cycle.ts";
import type {
  PlanSession,
  PlanSessionOptions,
  Proposal,
  ProposedPlan,
  ProposeOptions,
} from "./plan-session.ts";
import type { SessionSettings } from "./proposal-run.ts";
import { abortOf, makeProposal, type ProposalStart } from "./make-proposal.ts";

/** A session's state between calls. */
interface SessionState {
  readonly settings: SessionSettings;
  /** The plan waiting to be applied. */
  saved: SavedPlan | undefined;
  isBusy: boolean;
  /** Recorders of proposals that can be committed. */
  readonly recorders: WeakMap<ProposedPlan, EventRecorder>;
}

/**
 * Creates a session for a model and a workspace. Does nothing until its first call.
 * @throws PlanProtocolError `invalid_input`
 */
export function createPlanSession(options: PlanSessionOptions): PlanSession {
  const state: SessionState = {
    settings: settingsOf(options),
    saved: options.savedPlan,
    isBusy: false,
    recorders: new WeakMap(),
  };
  return {
    get savedPlan() {
      return state.saved;
    },
    propose: (goal, given = {}) => alone(state, () => propose(state, goal, given)),
    plan: (goal, given = {}) => alone(state, () => begin(state, { mode: "plan", goal }, given)),
    apply: (text = "", given = {}) => alone(state, () => resume(state, text, given)),
    commit: (proposed, given = {}) => alone(state, () => commit(state, proposed, given)),
  };
}

/** Runs one call at a time. Concurrent calls would use each other's context. */
async function alone<T>(state: SessionState, work: () => Promise<T>): Promise<T> {
  if (state.isBusy)
    throw new PlanProtocolError(
      "session_busy",
      "The session is busy. Wait for its call to end, or use another session.",
    );
  state.isBusy = true;
  try {
    return await work();
  } finally {
    state.isBusy = false;
  }
}

async function propose(
  state: SessionState,
  text: string,
  given: ProposeOptions,
): Promise<Proposal> {
  const { mode, goal, reason } = detectMode(text, { savedPlan: state.saved });
  if (mode === "apply" && reason !== "verb") return resume(state, goal, given);
  if (mode !== undefined) return begin(state, { mode, goal }, given);
  const { user } = await readMemory(state, given.signal);
  return begin(
    state,
    { mode: user.output_format === "patch_first" ? "apply" : "plan", goal },
    given,
  );
}

/** Starts a new cycle that uses nothing from the previous one. */
async function begin(
  state: SessionState,
  { mode, goal }: { mode: PlanMode; goal: string },
  given: ProposeOptions,
): Promise<Proposal> {
  if (goal.trim() === "")
    throw new PlanProtocolError("invalid_input", "The goal is empty. Say what is to be changed.");
  const { shownFiles = [], files = [], signal } = given;
  const cycle = { goal, ...textsOf(given), shownFiles, entries: [] };
  return run(state, { mode, goal, cycle, files, signal });
}

/** Turns the saved plan into changes. Without a saved plan, the text itself is the goal. */
async function resume(state: SessionState, text: string, given: ProposeOptions): Promise<Proposal> {
  const { saved } = state;
  const said = text.trim();
  if (saved === undefined) {
    if (said !== "") return begin(state, { mode: "apply", goal: text }, given);
    throw new PlanProtocolError(
      "no_saved_plan",
      "No plan is saved. Ask for one with plan(), or give apply() a goal.",
    );
  }
  const cycle = { ...fromSavedPlan(saved), ...textsOf(given) };
  const goal =
    said === "" ? saved.goal : `${saved.goal}\n\nTo the saved plan the user says: ${said}`;
  const { files = [], signal } = given;
  return run(state, { mode: "apply", goal, cycle, files, signal });
}

async function run(state: SessionState, start: Omit<ProposalStart, "memory">): Promise<Proposal> {
  const memory = await readMemory(state, start.signal);
  const { proposal, recorder, cycle } = await makeProposal(state.settings, { ...start, memory });
  if (!proposal.ok) return proposal;
  const { value } = proposal;
  state.recorders.set(value, recorder);
  if (value.mode === "plan") state.saved = toSavedPlan(cycle, value.plan.summary);
  else if (value.isNoChange) state.saved = undefined;
  return proposal;
}

async function readMemory(
  { settings }: SessionState,
  signal: AbortSignal | undefined,
): Promise<PlanMemory> {
  assertNotAborted(signal);
  const known = await settings.memory?.read({ signal }).catch((error: unknown) => {
    throw abortOf(error, signal);
  });
  assertNotAborted(signal);
  return known ?? { user: {}, project: {} };
}

async function commit(
  state: SessionState,
  proposed: ProposedPlan,
  given: ApplyOptions,
): Promise<Result<AppliedPlan>> {
  const { workspace } = state.settings;
  const recorder = state.recorders.get(proposed);
  if (recorder === undefined || workspace === undefined || proposed.plan.actions.length === 0)
    throw new PlanProtocolError(
      "invalid_input",
      whyNotCommitted(recorder === undefined, workspace === undefined),
    );
  assertNotAborted(given.signal);
  const applied = await workspace.apply(proposed.plan, given).catch((error: unknown) => {
    throw abortOf(error, given.signal);
  });
  recordCommit(recorder, applied);
  if (applied.ok) state.saved = undefined;
  return applied;
}

function settingsOf(options: PlanSessionOptions): SessionSettings {
  const { version = defaultPlanVersion } = options;
  if (!planVersions.includes(version))
    throw new PlanProtocolError(
      "invalid_input",
      `Unknown plan version ${version}. Use ${planVersions.join(", ")}.`,
    );
  return {
    ...options,
    policy: options.policy ?? {},
    limits: { ...defaultPlanLimits, ...options.limits },
    responseFormat: options.responseFormat ?? "strict",
    editFormat: options.editFormat ?? "json",
    ladder: createFormatLadder(),
    request: options.request ?? {},
    version,
    clock: options.clock ?? systemClock,
    ids: options.ids ?? createUuidV7Generator(),
  };
}

function textsOf({ report, background }: ProposeOptions): Pick<PlanCycle, "report" | "background"> {
  // Options that are not given keep the saved plan's values.
  return withoutUndefined({
    report: report === undefined ? undefined : redactSecrets(report).text,
    background: background === undefined ? undefined : redactSecrets(background).text,
  });
}

function recordCommit(recorder: EventRecorder, applied: Result<AppliedPlan>): void {
  if (applied.ok) {
    const { transactionId, changes } = applied.value;
    recorder.emit({
      type: "APPLY_SUCCESS",
      transaction_id: transactionId,
      changes: changes.length,
    });
    return;
  }
  for (const issue of applied.issues) {
    const isRolledBack = issue.code.endsWith("_ROLLED_BACK");
    if (isRolledBack)
      recorder.emit({ type: "APPLY_ROLLBACK", code: issue.code, reason: issue.message });
    else recorder.emitIssues([issue]);
  }
}

function whyNotCommitted(isUnknown: boolean, hasNoWorkspace: boolean): string {
  if (isUnknown) return "The plan is not one that this session proposed.";
  return hasNoWorkspace
    ? "The session has no workspace to apply to."
    : "The plan has no actions: there is nothing to apply.";
}
