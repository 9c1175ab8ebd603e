import { loadOnce } from "@ccl/core/async";

import { createLocalExecutor } from "../ports/create-local-executor.ts";
import { createServices } from "./create-services.ts";
import type { RunEngineOptions } from "./engine-options.ts";
import { pruneRecords, recoverRuns, startRecovery } from "./recover-runs.ts";
import type { RunEngine } from "./run-engine.ts";

/**
 * Creates an engine. By default everything is in memory. The engine starts looking for runs of dead workers, see
 * `recover`. The code that executes runs is loaded on the first call.
 */
export function createRunEngine(options: RunEngineOptions): RunEngine {
  const services = createServices(options);
  const { profile, executor = createLocalExecutor() } = options;
  if (profile !== undefined) services.registry.define(profile);
  const open = loadOnce(async () => {
    const { openEngine } = await import("./open-engine.ts");
    return openEngine(options, services, executor);
  });
  const runnerOf = async () => (await open()).runner;
  executor.attach(
    async (runId) => (await runnerOf()).execute(runId),
    (runId, reason) => void runnerOf().then((runner) => runner.find(runId)?.abort(reason)),
  );
  const taker = { takeOver: async (runId: string) => (await runnerOf()).takeOver(runId) };
  // No other engine sees the runs of an in-memory store.
  if (options.runs !== undefined && options.recover !== false)
    startRecovery(services, taker, { prune: options.prune });
  return {
    start: async (request) => (await open()).start(request),
    resume: async (runId, call) => (await open()).resume(runId, call),
    abort: async (runId, reason) => (await open()).abort(runId, reason),
    answer: async (runId, answer) => (await open()).answer(runId, answer),
    recover: async () => (await recoverRuns(services, taker)).runIds,
    async *events(runId, reading) {
      yield* (await open()).events(runId, reading);
    },
    saveProfile: async (draft, call) => (await open()).saveProfile(draft, call),
    resetProfileSession: async (profileId, call) =>
      (await open()).resetProfileSession(profileId, call),
    pruneRuns: (which) => pruneRecords(services, which),
    counts: () => services.limiter.counts(),
  };
}
