import type { EventFeed } from "../events/event-feed.ts";
import type { RunEvent } from "../events/run-event.ts";
import { OperationsError } from "../operations-error.ts";
import type { RunStep } from "../ports/run-step.ts";
import type { AbortRequest, RunInput, RunLease, RunStore, StoredRun } from "../ports/run-store.ts";
import type { DrivenRun } from "./drive-run.ts";
import type { EngineServices } from "./engine-services.ts";
import type { PlanMaker, PreparedPlan } from "./prepare-run.ts";
import type { RunResult } from "./run-result.ts";

/** A run that others have worked on, and what is known of it here. */
export interface Taking {
  runId: string;
  feed: EventFeed;
  /** False: only to see how it goes on. */
  mayTake: boolean;
  owner: string;
  /** Acquired already. */
  lease?: RunLease | undefined;
  /** An abort from this process. */
  abort?: AbortRequest | undefined;
}

/** What taking needs of an engine. */
export interface TakingServices {
  services: EngineServices;
  plans: PlanMaker;
}

/** A run that can't be resumed here now; the lease is the last one on it. */
export interface Waiting {
  lastLease: RunLease | undefined;
}

/**
 * The result of a run that has ended, the run itself if its lease could be had, or what to wait for if another worker
 * has it or it can't be planned here; its new events are passed on. @throws OperationsError `unknown_run`
 */
export async function takeRun(
  at: TakingServices,
  taking: Taking,
): Promise<DrivenRun | RunResult | Waiting> {
  const { runs, clock, limits, isOwnerDead } = at.services;
  const { runId, feed, owner, mayTake } = taking;
  const stored = await runs.loadRun(runId);
  if (stored === undefined)
    throw new OperationsError("unknown_run", `There is no run ${JSON.stringify(runId)}.`);
  const request = { owner, ttlMs: limits.leaseMs, nowMs: clock.now() };
  const isOpen = mayTake && stored.result === undefined && mayResume(at, stored, taking.abort);
  const { lease: held } = stored;
  if (isOpen && held !== undefined && (await isOwnerDead(held.owner)))
    await runs.releaseLease(held);
  const lease = taking.lease ?? (isOpen ? await runs.acquireLease(runId, request) : undefined);
  if (lease !== undefined) return resumed(at, taking, lease);
  for await (const page of eventPages(runs, runId, feed.lastSeq)) feed.publish(page);
  return stored.result ?? { lastLease: stored.lease };
}

/** What it takes to resume a stored run. @throws OperationsError `invalid_profile` */
export function planOf({ plans }: TakingServices, { profile, trigger }: RunInput): PreparedPlan {
  return plans.planOf(profile && plans.validate(profile), trigger);
}

/** What can't be planned here is left to others, unless it is to end. */
export function mayResume(
  at: TakingServices,
  { input, abort }: StoredRun,
  request?: AbortRequest,
): boolean {
  if ((abort ?? request) !== undefined) return true;
  if (input.formatVersion !== 1) return false;
  try {
    planOf(at, input);
    return true;
  } catch (error) {
    if (OperationsError.isInstance(error) && error.code === "invalid_profile") return false;
    throw error;
  }
}

/** What was stored is read again under the lease: until then another worker may have written. */
async function resumed(
  at: TakingServices,
  taking: Taking,
  lease: RunLease,
): Promise<DrivenRun | Waiting> {
  const { services } = at;
  const { runId, feed } = taking;
  const stored = await services.runs.loadRun(runId);
  if (stored === undefined || stored.result !== undefined) return { lastLease: lease };
  const events: RunEvent[] = [];
  for await (const page of eventPages(services.runs, runId, 0)) events.push(...page);
  feed.publish(events.filter(({ seq }) => seq > feed.lastSeq));
  const { input } = stored;
  const abort = stored.abort ?? taking.abort;
  const { steps, ...plan } = planFrom(at, stored, abort);
  return {
    ...plan,
    services,
    input,
    lease,
    feed,
    former: { steps, events },
    abort,
  };
}

/** A run that is to end and can't be planned here ends without a plan: nothing of it is left to be done. */
function planFrom(
  at: TakingServices,
  { input, steps }: StoredRun,
  abort: AbortRequest | undefined,
): PreparedPlan & { steps: RunStep[] } {
  const stop: RunStep = { kind: "stop", cause: "user_abort", ...abort };
  try {
    const isStopped = abort === undefined || steps.some(({ kind }) => kind === "stop");
    return { ...planOf(at, input), steps: isStopped ? steps : [...steps, stop] };
  } catch (error) {
    if (abort === undefined) throw error;
    return { ...at.plans.planOf(undefined, input.trigger), steps: [stop, ...steps] };
  }
}

async function* eventPages(
  runs: RunStore,
  runId: string,
  afterSeq: number,
): AsyncGenerator<RunEvent[], void, undefined> {
  let seq = afterSeq;
  for (;;) {
    const page = await runs.readEvents(runId, { afterSeq: seq });
    const last = page.at(-1);
    if (last === undefined) return;
    seq = last.seq;
    yield page;
  }
}
