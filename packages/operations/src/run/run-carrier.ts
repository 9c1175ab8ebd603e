import { OperationsError } from "../operations-error.ts";
import { createPassingMap } from "../ports/passing-map.ts";
import type { OperationKey, RunExecutor } from "../ports/run-executor.ts";
import { driveRun, type DrivenRun } from "./drive-run.ts";
import type { EngineServices } from "./engine-services.ts";
import { createLiveRun, type LiveRun } from "./live-run.ts";
import { messageOf } from "../operation/message-of.ts";
import type { PlanMaker, PreparedPlan } from "./prepare-run.ts";
import type { RunResult } from "./run-result.ts";
import { safeText } from "./safe-text.ts";
import { planOf, takeRun } from "./take-run.ts";

/** Carries runs of this process, and looks after those that others carry. */
export interface RunCarrier {
  /** The one object of this process for the run. */
  liveOf(runId: string): LiveRun;
  find(runId: string): LiveRun | undefined;
  /** Carries the run to its end, as soon as its lease is free. Calling it twice is the same as once. */
  carry(runId: string): Promise<RunResult>;
  /** Waits for the end of a run that an executor has carried out elsewhere. */
  watch(runId: string): void;
  /** Sees to it that somebody carries the run on; lease and fencing decide who. One that has ended stays as it is. */
  takeUp(runId: string): Promise<LiveRun>;
}

/** What the carrier works with. */
export interface CarrierOptions {
  services: EngineServices;
  plans: PlanMaker;
  executor: RunExecutor;
  owner: string;
}

/** The carrier of an engine. */
export function createRunCarrier({ services, plans, executor, owner }: CarrierOptions): RunCarrier {
  const { runs } = services;
  const lives = createPassingMap<LiveRun>();
  const liveOf = (runId: string): LiveRun => {
    const known = lives.get(runId);
    if (known !== undefined) return known;
    const live = newLiveRun(runId, { services, executor });
    lives.set(runId, live);
    return live;
  };
  const follow = async (live: LiveRun, mayTake: boolean): Promise<void> => {
    live.mayTake ||= mayTake;
    live.wake?.();
    if (live.isFollowed) return;
    live.isFollowed = true;
    for (;;) {
      const result = await followOnce(live);
      if (result === undefined) continue;
      lives.delete(live.runId);
      live.settle(result);
      return;
    }
  };
  /** Undefined: look again. */
  const followOnce = async (live: LiveRun): Promise<RunResult | undefined> => {
    try {
      const taken = live.prepared === undefined ? await take(live) : startOf(live);
      if (taken === undefined) return await pause(live, services);
      if ("status" in taken) return taken;
      live.drive = driveRun(taken);
      // It may have come while the run was being taken, or out of the first call of a store.
      if (live.earlyAbort !== undefined) live.drive.stop("user_abort", live.earlyAbort.reason);
      const result = await live.drive.result;
      live.drive = undefined;
      return result;
    } catch (error) {
      return isFinal(error) ? failedFollowing(live.runId, error) : pause(live, services);
    }
  };
  const take = ({ runId, feed, mayTake, earlyAbort: abort }: LiveRun): ReturnType<typeof takeRun> =>
    takeRun({ services, plans }, { runId, feed, mayTake, owner, abort });
  const startOf = (live: LiveRun): DrivenRun | undefined => {
    const { prepared, earlyAbort: abort } = live;
    live.prepared = undefined;
    const plan = prepared && planOf({ services, plans }, prepared.input);
    return prepared && plan && { services, feed: live.feed, ...prepared, ...plan, abort };
  };
  const carrier: RunCarrier = {
    liveOf,
    find: (runId) => lives.get(runId),
    carry(runId) {
      const live = liveOf(runId);
      void follow(live, true);
      return live.result;
    },
    watch(runId) {
      void follow(liveOf(runId), false);
    },
    async takeUp(runId) {
      const live = liveOf(runId);
      if (!executor.isLocal && (await runs.loadRun(runId))?.result === undefined)
        await executor.submit(runId);
      void follow(live, executor.isLocal);
      return live;
    },
  };
  executor.attach((runId) => carrier.carry(runId), {
    operationsOf: (input) => keysOf(planOf({ services, plans }, input)),
    abort: (runId, reason) => lives.get(runId)?.abort(reason),
  });
  return carrier;
}

/** Until it is time for another look at the store, or somebody wants one. */
async function pause(live: LiveRun, { clock, limits }: EngineServices): Promise<undefined> {
  // Its lease has come during the last one.
  if (live.prepared !== undefined) return undefined;
  await new Promise<void>((resolve) => {
    const cancel = clock.schedule(limits.pollMs, resolve);
    live.wake = () => {
      cancel();
      resolve();
    };
  });
  live.wake = undefined;
  return undefined;
}

function newLiveRun(runId: string, of: Pick<CarrierOptions, "services" | "executor">): LiveRun {
  const { services, executor } = of;
  const live = createLiveRun(runId, {
    runs: services.runs,
    keptEvents: services.limits.keptEvents,
  });
  if (executor.onEvent !== undefined) live.feed.listen(executor.onEvent.bind(executor));
  return live;
}

function keysOf({ plan }: PreparedPlan): OperationKey[] {
  return plan.operations.map(({ hook, operationId }) => ({ hook, operationId }));
}

/** True for what the next look would find as well; a store may answer by then. */
function isFinal(error: unknown): boolean {
  if (!OperationsError.isInstance(error)) return false;
  return (
    error.code === "unknown_run" || error.code === "invalid_profile" || error.code === "closed"
  );
}

function failedFollowing(runId: string, error: unknown): RunResult {
  const errorMessage = safeText(`The run can't be carried on here: ${messageOf(error)}`, 512);
  return {
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
