import { lastSeqOf, pageOf } from "../events/event-page.ts";
import type { RunEvent } from "../events/run-event.ts";
import { OperationsError } from "../operations-error.ts";
import type { RunResult } from "../run/run-result.ts";
import { branchKey } from "./branch-key.ts";
import { pageLimit, pageStart } from "./page-limit.ts";
import { createPassingMap, type PassingMap } from "./passing-map.ts";
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
import { createStepList, type StepList } from "./step-list.ts";
import { throwIfAborted } from "./throw-if-aborted.ts";
import { offerUnmade, type UnmadeAppend } from "./unmade-append.ts";

interface MemoryRun {
  input: RunInput;
  events: RunEvent[];
  /** Undefined until somebody reads. */
  steps: StepList | undefined;
  /** What follows, as it was appended: nobody has asked for it yet. */
  unread: Pick<UnmadeAppend, "events" | "steps">[];
  /** Of the last event; 0 before the first. */
  lastSeq: number;
  result?: RunResult | undefined;
  abort?: AbortRequest | undefined;
  /** The last one that was given out; `isHeld` says whether it still counts. */
  lease: RunLease;
  isHeld: boolean;
}

interface MemoryRuns {
  runs: PassingMap<MemoryRun>;
  /** By chat and branch: the unfinished run. */
  active: Map<string, string>;
  requests: Map<string, { runId: string; payloadHash: string; keptUntilMs: number }>;
  /** Ids of finished runs, oldest first. */
  finished: Set<string>;
  lastToken: number;
  keptRuns: number;
}

/** How much is kept. */
export interface MemoryRunStoreOptions {
  /** Finished runs, the newest first to stay; default 1,000. Those of remembered request ids stay as well. */
  keptRuns?: number | undefined;
}

/** Runs in memory, gone with the process. */
export function createMemoryRunStore({ keptRuns = 1_000 }: MemoryRunStoreOptions = {}): RunStore {
  const runs = createPassingMap<MemoryRun>();
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
  const store: RunStore = {
    async createRun(run, options) {
      throwIfAborted(options);
      return createRun(memory, run);
    },
    async loadRun(runId, options) {
      throwIfAborted(options);
      const run = memory.runs.get(runId);
      if (run === undefined) return undefined;
      const { input, result, abort, lease, lastSeq } = run;
      const optional = { result, abort, lease };
      return { input, steps: [...(read(run).steps?.all ?? [])], lastSeq, ...optional };
    },
    async acquireLease(runId, request, options) {
      throwIfAborted(options);
      const run = known(runId);
      const isHeld = run.isHeld && run.lease.expiresAtMs > request.nowMs;
      if (run.result !== undefined || isHeld) return undefined;
      run.lease = newLease(memory, runId, request);
      run.isHeld = true;
      return run.lease;
    },
    async renewLease(lease, { ttlMs, nowMs }, options) {
      throwIfAborted(options);
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
      throwIfAborted(options);
      const run = memory.runs.get(lease.runId);
      if (run?.lease.fencingToken === lease.fencingToken) run.isHeld = false;
    },
    async append(appends, options) {
      throwIfAborted(options);
      return appends.map((append) => appendMade(memory, append));
    },
    async readEvents(runId, options) {
      throwIfAborted(options);
      const limit = pageLimit(options?.limit, { byDefault: 1_000, max: 10_000 });
      const from = pageStart(options?.afterSeq);
      return read(known(runId))
        .events.slice(from, from + limit)
        .map((event) => Object.freeze(event));
    },
    async requestAbort(runId, request, options) {
      throwIfAborted(options);
      const run = known(runId);
      if (run.result !== undefined) return false;
      run.abort ??= request;
      return true;
    },
    async listUnfinished(options) {
      throwIfAborted(options);
      const limit = pageLimit(options?.limit, { byDefault: 100, max: 1_000 });
      const after = options?.cursor;
      const ids = [...memory.active.values()]
        .filter((id) => after === undefined || id > after)
        .sort();
      const runs = ids.slice(0, limit).map((runId) => ({ runId, lease: known(runId).lease }));
      const last = runs.at(-1);
      return ids.length > limit && last !== undefined ? { runs, cursor: last.runId } : { runs };
    },
    async prune(options) {
      throwIfAborted(options);
      return prune(memory, options);
    },
  };
  return offerUnmade(store, (append) => appendTo(memory, append));
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
    // The oldest go first; one that is behind them in the map may have ended as well.
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
  const content = { events: [], steps: undefined, unread: [], lastSeq: 0 };
  memory.runs.set(input.runId, { input, ...content, lease: taken, isHeld: true });
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

function appendMade(memory: MemoryRuns, append: RunAppend): AppendOutcome {
  const { events, steps } = append;
  const outcome = appendTo(memory, { ...append, events: pageOf(events), steps: () => steps });
  // The lists are somebody else's and may change.
  read(knownRun(memory, append.runId));
  return outcome;
}

function appendTo(memory: MemoryRuns, append: UnmadeAppend): AppendOutcome {
  const { runId, fencingToken, events, steps, result } = append;
  const run = knownRun(memory, runId);
  if (run.lease.fencingToken !== fencingToken) return "stale_lease";
  if (run.result !== undefined) return isRepeated(run, events.read()) ? "appended" : "stale_lease";
  const isNext = events.length === 0 || events.firstSeq === run.lastSeq + 1;
  const fresh = isNext ? events : pageOf(events.read().filter(({ seq }) => seq > run.lastSeq));
  if (fresh.length > 0 && fresh.firstSeq !== run.lastSeq + 1) {
    const message = `Event ${fresh.firstSeq} of run ${runId} can't follow event ${run.lastSeq}.`;
    throw new OperationsError("store_failed", message);
  }
  if (fresh.length > 0) run.lastSeq = lastSeqOf(fresh);
  run.unread.push({ events: fresh, steps });
  if (result !== undefined) {
    run.result = result;
    run.isHeld = false;
    memory.active.delete(branchKey(run.input));
    memory.finished.add(runId);
    if (memory.finished.size > memory.keptRuns) dropOldest(memory);
  }
  return "appended";
}

/** The run with all that was appended in its lists. */
function read(run: MemoryRun): MemoryRun {
  for (const { events, steps } of run.unread.splice(0)) {
    for (const event of events.read()) run.events.push(event);
    run.steps ??= createStepList();
    for (const step of steps()) run.steps.add(step);
  }
  return run;
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
  const most = pageLimit(limit, { byDefault: 1_000, max: 10_000 });
  forgetRequests(memory, nowMs);
  const kept = new Set(
    [...memory.requests.values()].flatMap((one) => (one.keptUntilMs > nowMs ? [one.runId] : [])),
  );
  const ended = [...memory.finished].flatMap((runId) => {
    const { finishedAt = Infinity } = memory.runs.get(runId)?.result ?? {};
    return finishedAt < endedBeforeMs && !kept.has(runId) ? [{ runId, finishedAt }] : [];
  });
  const dropped = ended.sort((left, right) => left.finishedAt - right.finishedAt).slice(0, most);
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
  return last !== undefined && read(run).events[last.seq - 1]?.epoch === last.epoch;
}
