import { OperationsError, unknownRun } from "../operations-error.ts";
import { pause } from "../ports/run-clock.ts";
import { driveRun } from "./drive-run.ts";
import type { EngineServices } from "./engine-options.ts";
import { type DrivenRun, type LiveRun, createLiveRun, pollDelay } from "./live-run.ts";
import { messageOf } from "../operation/message-of.ts";
import type { RunEvent, RunResult } from "../events/run-event.ts";
import { safeText } from "./safe-text.ts";
import type { RunExecutor } from "../ports/run-executor.ts";
import type { AbortRequest, RunLease, RunStep, RunStore, StoredRun } from "../ports/run-store.ts";
import type { PlanMaker, PreparedPlan } from "./plan-run.ts";

/** What an engine uses to execute its runs. */
export interface RunWorker {
  services: EngineServices;
  planOf: PlanMaker;
  executor: RunExecutor;
  owner: string;
}

/** A run that this process cannot resume now, and its last lease. */
interface Waiting {
  lastLease: RunLease | undefined;
}

/**
 * Takes over a run if its lease is free. Returns the result if the run has ended. Returns what to wait for if another
 * worker has the lease, or if the run cannot be planned here. Publishes the run's new events.
 * @throws OperationsError `unknown_run`
 */
async function takeRun(worker: RunWorker, live: LiveRun): Promise<DrivenRun | RunResult | Waiting> {
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
async function acquireRun(
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
function mayResume(
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

/** Executes runs in this process, and follows runs in other processes. */
export interface Runner {
  /** Returns the object that represents the run in this process. */
  liveOf(runId: string): LiveRun;
  find(runId: string): LiveRun | undefined;
  /** Executes the run to the end, once its lease is free. A second call changes nothing. */
  execute(runId: string): Promise<RunResult>;
  /**
   * Resumes a run without a worker. `held`: another worker has it. `unplannable`: this engine lacks one of its
   * operations.
   */
  takeOver(runId: string): Promise<"taken" | "held" | "unplannable" | "ended">;
  /** Lets a worker resume the run. Lease and fencing token determine which one. Ended runs stay as they are. */
  resume(runId: string): Promise<LiveRun>;
}

/** Creates the runner of an engine. */
export function createRunner(worker: RunWorker): Runner {
  const { services, executor } = worker;
  const { runs } = services;
  const lives = new Map<string, LiveRun>();
  const liveOf = (runId: string): LiveRun => {
    const known = lives.get(runId);
    if (known !== undefined) return known;
    const live = createLiveRun(runId, services);
    lives.set(runId, live);
    return live;
  };
  const follow = async (live: LiveRun): Promise<void> => {
    live.wake?.();
    if (live.isFollowed) return;
    live.isFollowed = true;
    for (let idle = 0; ; idle += 1) {
      const { lastSeq } = live.feed;
      const result = await followOnce(live, idle);
      if (live.feed.lastSeq > lastSeq) idle = 0;
      if (result === undefined) continue;
      lives.delete(live.runId);
      live.settle(result);
      return;
    }
  };
  /** Follows the run once. Returns undefined to poll again. */
  const followOnce = async (live: LiveRun, idle: number): Promise<RunResult | undefined> => {
    try {
      const { prepared, earlyAbort: abort } = live;
      live.prepared = undefined;
      const taken = prepared ? { ...prepared, abort } : await takeRun(worker, live);
      if ("lastLease" in taken)
        return await pauseFollowing(live, services, pollDelay(services, idle, taken.lastLease));
      if ("status" in taken) return taken;
      live.drive = driveRun(taken);
      // The abort may have arrived while the lease was being acquired, or during the first store call.
      if (live.earlyAbort !== undefined) live.drive.stop("user_abort", live.earlyAbort.reason);
      const result = await live.drive.result;
      live.drive = undefined;
      return result;
    } catch (error) {
      return isFinal(error)
        ? failedFollowing(live.runId, error)
        : pauseFollowing(live, services, pollDelay(services, idle, undefined));
    }
  };
  const runner: Runner = {
    liveOf,
    find: (runId) => lives.get(runId),
    execute(runId) {
      const live = liveOf(runId);
      void follow(live);
      return live.result;
    },
    async takeOver(runId) {
      const known = lives.get(runId);
      if (known?.drive !== undefined || known?.prepared !== undefined) return "held";
      const stored = await runs.loadRun(runId);
      if (stored === undefined) return "held";
      if (stored.result !== undefined) return "ended";
      if (!mayResume(worker, stored))
        return (stored.lease?.expiresAtMs ?? 0) > services.clock.now() ? "held" : "unplannable";
      const lease = await acquireRun(worker, stored);
      if (lease === undefined) return "held";
      const live = liveOf(runId);
      live.lease = lease;
      await executor.submit(runId, true).finally(() => void follow(live));
      return "taken";
    },
    async resume(runId) {
      const live = liveOf(runId);
      // Failures are retried while this process follows the run.
      await runner.takeOver(runId).catch(() => undefined);
      void follow(live);
      return live;
    },
  };
  return runner;
}

/** Waits until the next poll of the store, or until woken. */
async function pauseFollowing(
  live: LiveRun,
  { clock }: EngineServices,
  delayMs: number,
): Promise<undefined> {
  // The lease arrived during the last poll.
  if (live.prepared !== undefined || live.lease !== undefined) return undefined;
  await pause(clock, delayMs, (wake) => {
    live.wake = wake;
    return undefined;
  });
  live.wake = undefined;
  return undefined;
}

/** True for an error that the next poll would find again. A store may recover by then. */
function isFinal(error: unknown): boolean {
  if (!OperationsError.isInstance(error)) return false;
  return error.code === "unknown_run" || error.code === "closed";
}

function failedFollowing(runId: string, error: unknown): RunResult {
  const errorMessage = safeText(`The run can't be continued here: ${messageOf(error)}`, 512);
  return {
    formatVersion: 1,
    runId,
    status: "failed",
    failedType: "before_barrier",
    failedDetails: { errorCode: "internal_error", errorMessage },
    startedAt: 0,
    finishedAt: 0,
    durationMs: 0,
    operationRuns: [],
    mainLlm: { executed: false },
    commitLog: [],
    artifacts: [],
  };
}
