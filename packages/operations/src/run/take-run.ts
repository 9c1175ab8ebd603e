import type { RunEvent, RunResult } from "../events/run-event.ts";
import { OperationsError, unknownRun } from "../operations-error.ts";
import type { RunExecutor } from "../ports/run-executor.ts";
import type { AbortRequest, RunLease, RunStep, RunStore, StoredRun } from "../ports/run-store.ts";
import type { EngineServices } from "./engine-options.ts";
import type { LiveRun } from "./live-run.ts";
import type { DrivenRun, PlanMaker, PreparedPlan } from "./prepare-run.ts";

/** What an engine uses to execute its runs. */
export interface RunWorker {
  services: EngineServices;
  planOf: PlanMaker;
  executor: RunExecutor;
  owner: string;
}

/** A run that this process cannot resume now, and its last lease. */
export interface Waiting {
  lastLease: RunLease | undefined;
}

/**
 * Takes over a run if its lease is free. Returns the result if the run has ended. Returns what to wait for if another
 * worker has the lease, or if the run cannot be planned here. Publishes the run's new events.
 * @throws OperationsError `unknown_run`
 */
export async function takeRun(
  worker: RunWorker,
  live: LiveRun,
): Promise<DrivenRun | RunResult | Waiting> {
  const { runs } = worker.services;
  const { runId, feed, lease: granted } = live;
  live.lease = undefined;
  const stored = await runs.loadRun(runId);
  if (stored === undefined) throw unknownRun(runId);
  const isOpen = stored.result === undefined && mayResume(worker, stored, live.earlyAbort);
  const lease = granted ?? (isOpen ? await acquireRun(worker, stored) : undefined);
  if (lease !== undefined) return resumed(worker, live, lease);
  for await (const page of eventPages(runs, runId, feed.lastSeq)) feed.publish(page);
  return stored.result ?? { lastLease: stored.lease };
}

/**
 * Acquires the lease of a stored run, immediately if its owner is known to be dead. Undefined if another worker has it.
 */
export async function acquireRun(
  { services, owner }: RunWorker,
  { input, lease }: StoredRun,
): Promise<RunLease | undefined> {
  const { runs, clock, limits, isOwnerDead } = services;
  if (lease !== undefined && (await isOwnerDead(lease.owner))) await runs.releaseLease(lease);
  return runs.acquireLease(input.runId, { owner, ttlMs: limits.leaseMs, nowMs: clock.now() });
}

/**
 * False if the run cannot be planned here, which leaves it to other workers. True in any case if the run must end.
 */
export function mayResume(
  { planOf }: RunWorker,
  { input, abort }: StoredRun,
  request?: AbortRequest,
): boolean {
  if ((abort ?? request) !== undefined) return true;
  if (input.formatVersion !== 1) return false;
  try {
    planOf(input.profile, input.trigger);
    return true;
  } catch (error) {
    if (OperationsError.isInstance(error) && error.code === "invalid_profile") return false;
    throw error;
  }
}

/** Reads the run again under the lease, since another worker may have written in the meantime. */
async function resumed(
  worker: RunWorker,
  { runId, feed, earlyAbort }: LiveRun,
  lease: RunLease,
): Promise<DrivenRun | Waiting> {
  const { services } = worker;
  const stored = await services.runs.loadRun(runId);
  if (stored === undefined || stored.result !== undefined) return { lastLease: lease };
  const events: RunEvent[] = [];
  for await (const page of eventPages(services.runs, runId, 0)) events.push(...page);
  feed.publish(events.filter(({ seq }) => seq > feed.lastSeq));
  const { input } = stored;
  const abort = stored.abort ?? earlyAbort;
  const { steps, ...plan } = planFrom(worker, stored, abort);
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

/** Plans a resumed run. A run that must end starts nothing. If it cannot be planned here, it gets an empty plan. */
function planFrom(
  { planOf, services }: RunWorker,
  { input: { profile, trigger, deadlineMs = Infinity }, steps }: StoredRun,
  abort: AbortRequest | undefined,
): PreparedPlan & { steps: RunStep[] } {
  const mustEnd = abort !== undefined || deadlineMs <= services.clock.now();
  const stop: RunStep = { kind: "stop", cause: abort ? "user_abort" : "deadline", ...abort };
  try {
    const isStopped = !mustEnd || steps.some(({ kind }) => kind === "stop");
    return { ...planOf(profile, trigger), steps: isStopped ? steps : [...steps, stop] };
  } catch (error) {
    if (abort === undefined) throw error;
    return { ...planOf(undefined, trigger), steps: [stop, ...steps] };
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
