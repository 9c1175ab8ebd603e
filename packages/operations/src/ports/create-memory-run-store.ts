import { pageLimit } from "@ccl/core/paging";
import { throwIfAborted } from "@ccl/core/async";

import type { RunEvent } from "../events/run-event.ts";
import { OperationsError } from "../operations-error.ts";
import type { RunResult } from "../run/run-result.ts";
import { branchKey } from "./branch-key.ts";
import { pageStart } from "./page-start.ts";
import type {
  AbortRequest,
  AppendOutcome,
  LeaseRequest,
  NewRun,
  PruneRunsOptions,
  RunAppend,
  RunCreation,
  RunInput,
  RunLease,
  RunStore,
} from "./run-store.ts";
import { runStepKey, type RunStep } from "./run-step.ts";

interface MemoryRun {
  input: RunInput;
  events: RunEvent[];
  /** By `runStepKey`, in the order in which they arrived. The first step of a key stays. */
  steps: Map<string, RunStep>;
  result?: RunResult | undefined;
  abort?: AbortRequest | undefined;
  /** The last lease of the run. `isHeld` says whether it is still valid. */
  lease: RunLease;
  isHeld: boolean;
}

interface MemoryRuns {
  runs: Map<string, MemoryRun>;
  /** By chat and branch: the unfinished run. */
  active: Map<string, string>;
  requests: Map<string, { runId: string; payloadHash: string; keptUntilMs: number }>;
  /** Ids of finished runs, oldest first. */
  finished: Set<string>;
  lastToken: number;
  keptRuns: number;
}

/** How much is kept in memory. */
export interface MemoryRunStoreOptions {
  /** How many of the newest finished runs are kept, 1,000 by default. Those of remembered request ids are kept too. */
  keptRuns?: number | undefined;
}

/** Runs in memory, lost when the process ends. */
export function createMemoryRunStore({ keptRuns = 1_000 }: MemoryRunStoreOptions = {}): RunStore {
  const runs = new Map<string, MemoryRun>();
  const [active, requests] = [new Map(), new Map()];
  const memory: MemoryRuns = {
    runs,
    active,
    requests,
    finished: new Set(),
    lastToken: 0,
    keptRuns,
  };
  const known = (runId: string): MemoryRun => knownRun(memory, runId);
  return {
    async createRun(run, options) {
      throwIfAborted(options?.signal, OperationsError);
      return createRun(memory, run);
    },
    async loadRun(runId, options) {
      throwIfAborted(options?.signal, OperationsError);
      const run = memory.runs.get(runId);
      if (run === undefined) return undefined;
      const { input, events, steps, result, abort, lease } = run;
      return { input, steps: [...steps.values()], lastSeq: events.length, result, abort, lease };
    },
    async acquireLease(runId, request, options) {
      throwIfAborted(options?.signal, OperationsError);
      const run = known(runId);
      const isHeld = run.isHeld && run.lease.expiresAtMs > request.nowMs;
      if (run.result !== undefined || isHeld) return undefined;
      run.lease = newLease(memory, runId, request);
      run.isHeld = true;
      return run.lease;
    },
    async renewLease(lease, { ttlMs, nowMs }, options) {
      throwIfAborted(options?.signal, OperationsError);
      const run = memory.runs.get(lease.runId);
      if (
        run === undefined ||
        run.result !== undefined ||
        run.lease.fencingToken !== lease.fencingToken
      ) {
        return { status: "lost" };
      }
      run.lease = { ...lease, expiresAtMs: nowMs + ttlMs };
      run.isHeld = true;
      return { status: "renewed", lease: run.lease, abort: run.abort };
    },
    async releaseLease(lease, options) {
      throwIfAborted(options?.signal, OperationsError);
      const run = memory.runs.get(lease.runId);
      if (run?.lease.fencingToken === lease.fencingToken) run.isHeld = false;
    },
    async append(appends, options) {
      throwIfAborted(options?.signal, OperationsError);
      return appends.map((append) => appendTo(memory, append));
    },
    async readEvents(runId, options) {
      throwIfAborted(options?.signal, OperationsError);
      const limit = pageLimit(options?.limit, { byDefault: 1_000, max: 10_000 }, OperationsError);
      const from = pageStart(options?.afterSeq);
      return known(runId)
        .events.slice(from, from + limit)
        .map((event) => Object.freeze(event));
    },
    async requestAbort(runId, request, options) {
      throwIfAborted(options?.signal, OperationsError);
      const run = known(runId);
      if (run.result !== undefined) return false;
      run.abort ??= request;
      return true;
    },
    async answer(runId, step, options) {
      throwIfAborted(options?.signal, OperationsError);
      const run = known(runId);
      if (run.result !== undefined) return false;
      const key = runStepKey(step);
      if (run.steps.has(key)) return false;
      run.steps.set(key, structuredClone(step));
      return true;
    },
    async listRuns(options) {
      throwIfAborted(options?.signal, OperationsError);
      const limit = pageLimit(options?.limit, { byDefault: 100, max: 1_000 }, OperationsError);
      const { cursor: after, all = false } = options ?? {};
      const ids = [...(all ? memory.runs.keys() : memory.active.values())]
        .filter((id) => after === undefined || (all ? id < after : id > after))
        .sort();
      if (all) ids.reverse();
      const runs = ids.slice(0, limit).map((runId) => ({ runId, lease: known(runId).lease }));
      const last = runs.at(-1);
      return ids.length > limit && last !== undefined ? { runs, cursor: last.runId } : { runs };
    },
    async prune(options) {
      throwIfAborted(options?.signal, OperationsError);
      return prune(memory, options);
    },
  };
}

function knownRun({ runs }: MemoryRuns, runId: string): MemoryRun {
  const run = runs.get(runId);
  if (run === undefined)
    throw new OperationsError("unknown_run", `There is no run ${JSON.stringify(runId)}.`);
  return run;
}

function newLease(
  memory: MemoryRuns,
  runId: string,
  { owner, ttlMs, nowMs }: LeaseRequest,
): RunLease {
  memory.lastToken += 1;
  return { runId, owner, fencingToken: memory.lastToken, expiresAtMs: nowMs + ttlMs };
}

function createRun(memory: MemoryRuns, { input, clientRequest, lease }: NewRun): RunCreation {
  const branch = branchKey(input);
  const requestKey =
    clientRequest && JSON.stringify([input.chatId, input.branchId, clientRequest.clientRequestId]);
  if (clientRequest !== undefined && requestKey !== undefined) {
    forgetRequests(memory, lease.nowMs);
    const known = memory.requests.get(requestKey);
    // `forgetRequests` stops at the first valid entry, so a later one may have expired too.
    if (known !== undefined && known.keptUntilMs > lease.nowMs) {
      const { runId } = known;
      return {
        status: known.payloadHash === clientRequest.payloadHash ? "duplicate" : "payload_conflict",
        runId,
      };
    }
  }
  const active = memory.active.get(branch);
  if (active !== undefined) return { status: "active", runId: active };
  if (memory.runs.get(input.runId) !== undefined) {
    throw new OperationsError(
      "invalid_options",
      `There is a run ${JSON.stringify(input.runId)} already.`,
    );
  }
  const taken = newLease(memory, input.runId, lease);
  const run = { input, events: [], steps: new Map(), lease: taken, isHeld: true };
  memory.runs.set(input.runId, run);
  memory.active.set(branch, input.runId);
  if (clientRequest !== undefined && requestKey !== undefined) {
    const { payloadHash, keptUntilMs } = clientRequest;
    memory.requests.delete(requestKey);
    memory.requests.set(requestKey, { runId: input.runId, payloadHash, keptUntilMs });
  }
  return { status: "created", lease: taken };
}

function forgetRequests(memory: MemoryRuns, nowMs: number): void {
  for (const [key, { keptUntilMs }] of memory.requests) {
    if (keptUntilMs > nowMs) return;
    memory.requests.delete(key);
  }
}

function appendTo(memory: MemoryRuns, append: RunAppend): AppendOutcome {
  const { runId, fencingToken, events, steps, result } = append;
  const run = knownRun(memory, runId);
  if (run.lease.fencingToken !== fencingToken) return "stale_lease";
  if (run.result !== undefined) return isRepeated(run, events) ? "appended" : "stale_lease";
  const lastSeq = run.events.length;
  const fresh = events.filter(({ seq }) => seq > lastSeq);
  const first = fresh[0];
  if (first !== undefined && first.seq !== lastSeq + 1) {
    const message = `Event ${first.seq} of run ${runId} can't follow event ${lastSeq}.`;
    throw new OperationsError("store_failed", message);
  }
  for (const event of fresh) run.events.push(event);
  for (const step of steps) {
    const key = runStepKey(step);
    if (!run.steps.has(key)) run.steps.set(key, step);
  }
  if (result !== undefined) {
    run.result = result;
    run.isHeld = false;
    memory.active.delete(branchKey(run.input));
    memory.finished.add(runId);
    if (memory.finished.size > memory.keptRuns) dropOldest(memory);
  }
  return "appended";
}

function dropOldest(memory: MemoryRuns): void {
  const remembered = new Set([...memory.requests.values()].map(({ runId }) => runId));
  for (const runId of memory.finished) {
    if (memory.finished.size <= memory.keptRuns) return;
    if (remembered.has(runId)) continue;
    memory.finished.delete(runId);
    memory.runs.delete(runId);
  }
}

function prune(memory: MemoryRuns, { endedBeforeMs, nowMs, limit }: PruneRunsOptions): number {
  const max = pageLimit(limit, { byDefault: 1_000, max: 10_000 }, OperationsError);
  forgetRequests(memory, nowMs);
  const kept = new Set(
    [...memory.requests.values()].flatMap((one) => (one.keptUntilMs > nowMs ? [one.runId] : [])),
  );
  const ended = [...memory.finished].flatMap((runId) => {
    const { finishedAt = Infinity } = memory.runs.get(runId)?.result ?? {};
    return finishedAt < endedBeforeMs && !kept.has(runId) ? [{ runId, finishedAt }] : [];
  });
  const dropped = ended.sort((left, right) => left.finishedAt - right.finishedAt).slice(0, max);
  for (const { runId } of dropped) {
    memory.finished.delete(runId);
    memory.runs.delete(runId);
  }
  const gone = new Set(dropped.map(({ runId }) => runId));
  for (const [key, { runId }] of memory.requests) if (gone.has(runId)) memory.requests.delete(key);
  return dropped.length;
}

function isRepeated(run: MemoryRun, events: readonly RunEvent[]): boolean {
  const last = events.at(-1);
  return last !== undefined && run.events[last.seq - 1]?.epoch === last.epoch;
}
