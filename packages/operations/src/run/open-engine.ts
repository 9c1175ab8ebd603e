import { success } from "@ccl/core";

import { copyJson } from "../artifact/copy-json.ts";
import { OperationsError, pageStart, unknownRun } from "../operations-error.ts";
import { createProfileStore } from "../stores/create-profile-store.ts";
import type { RunExecutor } from "../ports/run-executor.ts";
import type { AnswerStep, RunInput } from "../ports/run-store.ts";
import { validateProfile } from "../profile/validate-profile.ts";
import type { EngineServices, RunEngineOptions } from "./engine-options.ts";
import {
  readLiveEvents,
  readStoredEvents,
  reasonOf,
  type LiveRun,
  type RunHandle,
} from "./live-run.ts";
import { createPlanMaker } from "./plan-run.ts";
import type { RunAnswer, RunEngine } from "./run-engine.ts";
import { createRunner, type Runner } from "./runner.ts";
import { createRunStarter } from "./start-run.ts";

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
      : `The answer is not JSON: ${copy.issues[0]?.message}`,
  );
}

const resetAttempts = 5;

/** The methods of an engine, and its runs in this process. */
export interface OpenEngine extends Omit<RunEngine, "recover" | "pruneRuns" | "counts"> {
  readonly runner: Runner;
}

/** Opens the part of an engine that executes runs. */
export function openEngine(
  options: RunEngineOptions,
  services: EngineServices,
  executor: RunExecutor,
): OpenEngine {
  const { registry, runs, ids } = services;
  const { profile, profiles = createProfileStore(), whenActive = "reject" } = options;
  const planOf = createPlanMaker(services);
  const worker = { services, planOf, executor, owner: options.owner ?? ids.next() };
  const runner = createRunner(worker);
  const start = createRunStarter({ ...worker, runner, profiles, whenActive });
  const handleOf = (live: LiveRun): RunHandle => ({
    runId: live.runId,
    result: live.result,
    events: { [Symbol.asyncIterator]: () => readLiveEvents(live, runs, {}) },
    onEvent: (listener) => live.feed.listen(listener),
    abort: (reason) => live.abort(reason),
  });
  return {
    runner,
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
      const checked = validateProfile(profile, registry);
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
          const isLost = OperationsError.isInstance(error) && error.code === "conflict";
          if (!isLost || attempt >= resetAttempts) throw error;
        }
      }
    },
  };
}
