import { assertNotAborted, PlanProtocolError } from "../plan-protocol-error.ts";
import { withoutUndefined } from "@ccl/core/json";
import {
  createUuidV7Generator,
  redactSecrets,
  type Result,
  systemClock,
  withDefaults,
} from "@ccl/core";
import { createFormatLadder } from "@ccl/structured-output";

import { defaultPlanLimits } from "../limits/plan-limits.ts";
import type { PlanMemory } from "../memory/plan-memory.ts";
import { defaultPlanVersion, planVersions } from "../plan/action-kinds.ts";
import { createEventRecorder, type EventRecorder } from "../trace/event-recorder.ts";
import type { PlanMode } from "../validate/valid-plan.ts";
import type { Abortable, AppliedPlan, ApplyOptions } from "../workspace/plan-workspace.ts";
import { detectMode } from "./detect-mode.ts";
import { fromSavedPlan, type PlanCycle, type SavedPlan, toSavedPlan } from "./plan-cycle.ts";
import type {
  PlanSession,
  PlanSessionOptions,
  Proposal,
  ProposedPlan,
  ProposeOptions,
} from "./plan-session.ts";
import type { Defaulted, ProposalRun, SessionSettings } from "./proposal-run.ts";
import { makeProposal } from "./make-proposal.ts";

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
    propose: (goal, given = {}) => alone(state, given, () => propose(state, goal, given)),
    plan: (goal, given = {}) => alone(state, given, () => begin(state, "plan", goal, given)),
    apply: (text = "", given = {}) => alone(state, given, () => resume(state, text, given)),
    commit: (proposed, given = {}) => alone(state, given, () => commit(state, proposed, given)),
  };
}

/** Runs one call at a time. Concurrent calls would use each other's context. */
async function alone<T>(
  state: SessionState,
  { signal }: Abortable,
  work: () => Promise<T>,
): Promise<T> {
  if (state.isBusy)
    throw new PlanProtocolError(
      "session_busy",
      "The session is busy. Wait for its current call to finish, or use another session.",
    );
  state.isBusy = true;
  try {
    return await work();
  } catch (error) {
    // Whichever code noticed the abort.
    if (signal?.aborted !== true) throw error;
    if (PlanProtocolError.isInstance(error) && error.code === "aborted") throw error;
    const message = "The call was aborted. The session is unchanged.";
    throw new PlanProtocolError("aborted", message, { cause: error });
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
  if (mode !== undefined) return begin(state, mode, goal, given);
  const { user } = await readMemory(state, given.signal);
  return begin(state, user.output_format === "patch_first" ? "apply" : "plan", goal, given);
}

/** Starts a new cycle that uses nothing from the previous one. */
async function begin(
  state: SessionState,
  mode: PlanMode,
  goal: string,
  given: ProposeOptions,
): Promise<Proposal> {
  if (goal.trim() === "") throw invalid("The goal is empty. Say what should change.");
  const cycle = { goal, ...textsOf(given), shownFiles: given.shownFiles ?? [], entries: [] };
  return run(state, { mode, goal, cycle }, given);
}

/** Turns the saved plan into changes. Without a saved plan, the text itself is the goal. */
async function resume(state: SessionState, text: string, given: ProposeOptions): Promise<Proposal> {
  const { saved } = state;
  const said = text.trim();
  if (saved === undefined) {
    if (said !== "") return begin(state, "apply", text, given);
    throw new PlanProtocolError(
      "no_saved_plan",
      "No plan is saved. Create one with plan(), or pass apply() a goal.",
    );
  }
  const cycle = { ...fromSavedPlan(saved), ...textsOf(given) };
  const goal =
    said === "" ? saved.goal : `${saved.goal}\n\nTo the saved plan the user says: ${said}`;
  return run(state, { mode: "apply", goal, cycle }, given);
}

async function run(
  state: SessionState,
  start: Pick<ProposalRun, "mode" | "goal" | "cycle">,
  { files = [], signal }: ProposeOptions,
): Promise<Proposal> {
  const { settings } = state;
  const remembered = await readMemory(state, signal);
  const recorder = createEventRecorder(settings.ids.next(), settings);
  const proposalRun = { ...settings, ...start, remembered, changed: [], recorder, signal };
  const proposal = await makeProposal(proposalRun, files);
  if (!proposal.ok) return proposal;
  const { value } = proposal;
  state.recorders.set(value, recorder);
  if (value.mode === "plan") state.saved = toSavedPlan(start.cycle, value.plan.summary);
  else if (value.isNoChange) state.saved = undefined;
  return proposal;
}

async function readMemory(
  { settings }: SessionState,
  signal: AbortSignal | undefined,
): Promise<PlanMemory> {
  assertNotAborted(signal);
  const known = await settings.memory?.read({ signal });
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
  if (recorder === undefined) throw invalid("This session did not propose the plan.");
  if (workspace === undefined) throw invalid("The session has no workspace to apply to.");
  if (proposed.plan.actions.length === 0)
    throw invalid("The plan has no actions, so there is nothing to apply.");
  assertNotAborted(given.signal);
  const applied = await workspace.apply(proposed.plan, given);
  if (applied.ok) {
    const { transactionId: transaction_id, changes } = applied.value;
    recorder.emit({ type: "APPLY_SUCCESS", transaction_id, changes: changes.length });
    state.saved = undefined;
    return applied;
  }
  for (const issue of applied.issues) {
    const { code, message: reason } = issue;
    if (code.endsWith("_ROLLED_BACK")) recorder.emit({ type: "APPLY_ROLLBACK", code, reason });
    else recorder.emitIssues([issue]);
  }
  return applied;
}

function settingsOf(options: PlanSessionOptions): SessionSettings {
  const { version = defaultPlanVersion } = options;
  if (!planVersions.includes(version))
    throw invalid(`Unknown plan version ${version}. Use one of ${planVersions.join(", ")}.`);
  return {
    ...options,
    ...withDefaults<Pick<PlanSessionOptions, Defaulted>>(
      {
        policy: {},
        responseFormat: "strict",
        editFormat: "json",
        request: {},
        version,
        clock: systemClock,
        ids: createUuidV7Generator(),
      },
      options,
    ),
    limits: { ...defaultPlanLimits, ...options.limits },
    ladder: createFormatLadder(),
  };
}

function textsOf({ report, background }: ProposeOptions): Pick<PlanCycle, "report" | "background"> {
  // Options that are not given keep the saved plan's values.
  return withoutUndefined({
    report: report && redactSecrets(report).text,
    background: background && redactSecrets(background).text,
  });
}

function invalid(message: string): PlanProtocolError {
  return new PlanProtocolError("invalid_input", message);
}
