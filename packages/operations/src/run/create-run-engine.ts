import { success, type Result } from "@ccl/core";

import { copyJson } from "../artifact/copy-json.ts";
import type { Hook } from "../operation/operation-definition.ts";
import type { AnswerStep } from "../ports/run-step.ts";
import type { RunInput } from "../ports/run-store.ts";
import type { RunEvent } from "../events/run-event.ts";
import { defaultRenderer } from "../liquid/default-renderer.ts";
import { OperationsError } from "../operations-error.ts";
import { createLocalExecutor } from "../ports/create-local-executor.ts";
import { createMemoryProfileStore } from "../ports/create-memory-profile-store.ts";
import { pageStart } from "../ports/page-start.ts";
import type { SaveProfileOptions } from "../ports/profile-store.ts";
import type { OperationProfile } from "../profile/operation-profile.ts";
import { validateProfile, type ValidProfile } from "../profile/validate-profile.ts";
import { createServices } from "./create-services.ts";
import type { RunEngineOptions, StartOptions } from "./engine-options.ts";
import {
  readLiveEvents,
  readStoredEvents,
  reasonOf,
  type EventReading,
  type LiveRun,
  type RunHandle,
} from "./live-run.ts";
import { pruneRecords, type PruneOptions } from "./prune-records.ts";
import { createPlanMaker } from "./prepare-run.ts";
import { recoverRuns, startRecovery } from "./recover-runs.ts";
import { createRunner } from "./runner.ts";
import { createRunStarter } from "./start-run.ts";

/** Runs turns of a chat: operations, one main model call, operations. */
export interface RunEngine {
  /**
   * Accepts a run and begins it. Under `queue` and `abort_previous` it waits for the run before.
   * @throws OperationsError `invalid_options`, `invalid_profile`, `unknown_profile`, `unknown_turn`, `run_active`,
   *   `idempotency_conflict`, `aborted`
   */
  start(options: StartOptions): Promise<RunHandle>;
  /**
   * The handle of a run of any worker; a run without a worker resumes here. What has
   * ended never runs again. @throws OperationsError `unknown_run`
   */
  resume(runId: string, options?: { signal?: AbortSignal | undefined }): Promise<RunHandle>;
  /**
   * Ends a run of any worker, with or without a handle; one without a worker ends here. False if it has ended already.
   * @throws OperationsError `unknown_run`
   */
  abort(runId: string, reason?: string): Promise<boolean>;
  /**
   * Answers an operation that waits, by its id or its name in the profile; the first answer stays, and may come before it is
   * waited for. False if the run has ended. @throws OperationsError `unknown_run`, `invalid_options`
   */
  answer(runId: string, answer: RunAnswer): Promise<boolean>;
  /** Resumes the runs whose worker has died, as the engine does by itself unless `recover` is false; gives their ids. */
  recover(): Promise<string[]>;
  /**
   * A run's events in order, the stored ones and then live, until `run.finished`.
   * @throws OperationsError `unknown_run`, `invalid_options` as it is read
   */
  events(runId: string, options?: EventReading): AsyncIterable<RunEvent>;
  /**
   * Validates and stores a profile; gives it with its new version, or every issue.
   * @throws OperationsError `version_conflict`
   */
  saveProfile(
    profile: OperationProfile,
    options?: SaveProfileOptions,
  ): Promise<Result<ValidProfile>>;
  /**
   * Gives the profile a new session, so that its next run begins without state; the old one stays readable.
   * @throws OperationsError `unknown_profile`
   */
  resetProfileSession(
    profileId: string,
    options?: { signal?: AbortSignal | undefined },
  ): Promise<OperationProfile>;
  /**
   * Deletes runs that have ended, with their events and steps, and then what `artifacts` keeps of values that nothing shows any
   * more. Gives how many runs. Chats, sessions and profiles stay, and runs of remembered request ids.
   */
  pruneRuns(options?: PruneOptions): Promise<number>;
  /** Operations that run and that wait for a place, over all runs. */
  counts(): { running: number; waiting: number };
}

/** What a person answers. */
export interface RunAnswer {
  /** The operation's id, or its name in the profile. */
  operation: string;
  /** JSON. */
  value: unknown;
  /** Of an operation in both; default the first of its hooks. */
  hook?: Hook | undefined;
}

function answerStep({ profile }: RunInput, { operation, value, hook }: RunAnswer): AnswerStep {
  const operations = profile?.operations ?? [];
  const found = operations.find(
    ({ operationId }) => operationId === operation || operationId.endsWith(`:${operation}`),
  );
  const copy = copyJson(value);
  const at = hook ?? found?.config.hooks[0];
  if (found !== undefined && at !== undefined && copy.ok)
    return { kind: "answer", hook: at, operationId: found.operationId, value: copy.value };
  const names = operations.map(({ operationId }) => operationId).join(", ");
  throw new OperationsError(
    "invalid_options",
    copy.ok
      ? `The run has no operation ${JSON.stringify(operation)}; it has ${names || "none"}.`
      : `The answer is no JSON: ${copy.issues[0]?.message}`,
  );
}

function unknownRun(runId: string): OperationsError {
  return new OperationsError("unknown_run", `There is no run ${JSON.stringify(runId)}.`);
}

const resetAttempts = 5;

/** An engine; everything that is left out is in memory. It begins to look for runs of dead workers, see `recover`. */
export function createRunEngine(options: RunEngineOptions): RunEngine {
  const services = createServices(options);
  const { registry, runs, ids, renderer } = services;
  const profiles = options.profiles ?? createMemoryProfileStore();
  const { profile } = options;
  if (profile !== undefined) registry.define(profile);
  const executor = options.executor ?? createLocalExecutor();
  const plans = createPlanMaker(services);
  const owner = options.owner ?? ids.next();
  const runner = createRunner({ services, plans, executor, owner });
  // No other engine sees the runs of a store of its own.
  const isShared = options.runs !== undefined && executor.recoversRuns !== true;
  if (isShared && executor.isLocal && options.recover !== false)
    startRecovery(services, runner, { prune: options.prune });
  const whenActive = options.whenActive ?? "reject";
  const start = createRunStarter({
    services,
    plans,
    runner,
    executor,
    profiles,
    owner,
    whenActive,
  });
  const handleOf = (live: LiveRun): RunHandle => ({
    runId: live.runId,
    result: live.result,
    events: { [Symbol.asyncIterator]: () => readLiveEvents(live, runs, {}) },
    onEvent: (listener) => live.feed.listen(listener),
    abort: (reason) => live.abort(reason),
  });
  return {
    async start(request) {
      const isNamed = request.profileRef !== undefined || request.profile !== undefined;
      return handleOf(await start(isNamed ? request : { ...request, profile }));
    },
    async resume(runId, call) {
      const stored = await runs.loadRun(runId, call);
      if (stored === undefined) throw unknownRun(runId);
      return handleOf(await runner.resume(runId));
    },
    async abort(runId, reason) {
      runner.find(runId)?.abort(reason);
      const isOpen = await runs.requestAbort(runId, { reason: reasonOf(reason) });
      if (isOpen) await runner.takeOver(runId);
      return isOpen;
    },
    async answer(runId, given) {
      const stored = await runs.loadRun(runId);
      if (stored === undefined) throw unknownRun(runId);
      const isKept = await runs.answer(runId, answerStep(stored.input, given));
      for (const wake of services.waiting) wake();
      return isKept;
    },
    recover: async () => (await recoverRuns(services, runner)).runIds,
    async *events(runId, reading = {}) {
      pageStart(reading.afterSeq);
      const live = runner.find(runId);
      if (live !== undefined) {
        yield* readLiveEvents(live, runs, reading);
        return;
      }
      if ((await runs.loadRun(runId)) === undefined) throw unknownRun(runId);
      yield* readStoredEvents(runId, services, reading);
    },
    async saveProfile(profile, call) {
      registry.define(profile);
      const checked = validateProfile(profile, registry, {
        renderer: renderer ?? defaultRenderer(),
      });
      if (!checked.ok) return checked;
      const saved = validateProfile(await profiles.save(checked.value, call), registry);
      return saved.ok ? success(saved.value) : saved;
    },
    async resetProfileSession(profileId, call) {
      for (let attempt = 1; ; attempt += 1) {
        const profile = await profiles.load(profileId, call);
        if (profile === undefined) {
          throw new OperationsError(
            "unknown_profile",
            `There is no profile ${JSON.stringify(profileId)}.`,
          );
        }
        const fresh = { ...profile, operationProfileSessionId: ids.next() };
        try {
          return await profiles.save(fresh, { ...call, expectedVersion: profile.version ?? 0 });
        } catch (error) {
          const isLost = OperationsError.isInstance(error) && error.code === "version_conflict";
          if (!isLost || attempt >= resetAttempts) throw error;
        }
      }
    },
    pruneRuns: (which) => pruneRecords(services, which),
    counts: () => services.limiter.counts(),
  };
}
