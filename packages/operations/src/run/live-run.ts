import { onAbort } from "@ccl/core/async";

import { createEventFeed, type EventFeed, type RunEventListener } from "../events/event-feed.ts";
import type { RunEvent, RunResult } from "../events/run-event.ts";
import type { AbortRequest, RunInput, RunLease, RunStep, RunStore } from "../ports/run-store.ts";
import { pause } from "../ports/run-clock.ts";
import type { EngineServices } from "./engine-options.ts";
import type { PreparedPlan } from "./plan-run.ts";
import { messageOf } from "../operation/message-of.ts";
import type { StopCause } from "./reduce-run.ts";
import { safeText } from "./safe-text.ts";

/** A run in progress. */
export interface RunDrive {
  /** Resolves with undefined if another worker has taken over the run. Never rejects. */
  result: Promise<RunResult | undefined>;
  stop(cause: StopCause, reason?: string): void;
}

/** A run whose lease this worker holds. */
export interface DrivenRun extends PreparedPlan {
  services: EngineServices;
  input: RunInput;
  lease: RunLease;
  feed: EventFeed;
  /** Completed steps and all events of the run. Absent for a new run. */
  former?: { steps: readonly RunStep[]; events: readonly RunEvent[] } | undefined;
  /** An abort that was requested before the worker started. */
  abort?: AbortRequest | undefined;
}

/** A promise that is resolved externally. */
export interface Deferred<Value> {
  readonly promise: Promise<Value>;
  resolve(value: Value): void;
}

/** Creates an unresolved promise. */
export function deferred<Value>(): Deferred<Value> {
  let resolve: (value: Value) => void = () => {};
  const promise = new Promise<Value>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

/** A run followed by this process, executed here or elsewhere. */
export interface LiveRun {
  readonly runId: string;
  readonly feed: EventFeed;
  /** Never rejects. */
  readonly result: Promise<RunResult>;
  /** Present while this process executes the run. */
  drive?: RunDrive | undefined;
  /** A new run that this process has not started to execute. */
  prepared?: DrivenRun | undefined;
  /** Lease with which to resume the run. */
  lease?: RunLease | undefined;
  isFollowed: boolean;
  /** An abort from this process, requested before the run had a worker. */
  earlyAbort?: { reason?: string | undefined } | undefined;
  /** Ends the wait between two polls of the store. */
  wake?: (() => void) | undefined;
  settle(result: RunResult): void;
  abort(reason?: string): void;
}

/** A caller's access to a run. */
export interface RunHandle {
  readonly runId: string;
  /** All events from the first, then live ones, until `run.finished`. Each iteration starts over. */
  readonly events: AsyncIterable<RunEvent>;
  /** Calls the listener for each later event and reports its errors. Returns a function to unsubscribe it. */
  onEvent(listener: RunEventListener): () => void;
  /** Aborts the run, so that nothing new starts. Later calls change nothing. */
  abort(reason?: string): void;
  /** Never rejects. */
  readonly result: Promise<RunResult>;
}

// Older events are read from the store.
const keptEvents = 1_024;

/** Creates a run that has no worker yet. */
export function createLiveRun(
  runId: string,
  { runs, onListenerError }: Pick<EngineServices, "runs" | "onListenerError">,
): LiveRun {
  const feed = createEventFeed(keptEvents, onListenerError);
  const result = deferred<RunResult>();
  const live: LiveRun = {
    runId,
    feed,
    result: result.promise,
    isFollowed: false,
    settle(value) {
      feed.end();
      result.resolve(value);
    },
    abort(reason) {
      const safe = reasonOf(reason);
      if (live.drive !== undefined) {
        live.drive.stop("user_abort", safe);
        return;
      }
      const request = { reason: safe };
      live.earlyAbort ??= request;
      // A worker in another process reads the request when it renews its lease. Ended runs ignore it.
      runs.requestAbort(runId, request).catch(() => {});
    },
  };
  return live;
}

/** Converts a reason to text that can be stored. Untyped callers pass errors, and listeners pass events. */
export function reasonOf(reason: unknown): string | undefined {
  if (typeof reason === "string") return safeText(reason, 512);
  return reason instanceof Error ? safeText(messageOf(reason), 512) : undefined;
}

/** Which events to read. */
export interface EventReading {
  /** Defaults to 0, which reads all events. */
  afterSeq?: number | undefined;
  /** Ends the iteration without an error. */
  signal?: AbortSignal | undefined;
}

/** Yields events until `run.finished`, or until `read` returns undefined. */
async function* readEvents(
  read: (afterSeq: number) => Promise<readonly RunEvent[] | undefined>,
  { afterSeq = 0, signal }: EventReading,
): AsyncGenerator<RunEvent, void, undefined> {
  let seq = afterSeq;
  const isOver = (): boolean => signal?.aborted === true;
  while (!isOver()) {
    const events = await read(seq);
    if (events === undefined) return;
    for (const event of events) {
      if (isOver()) return;
      yield Object.freeze(event);
      seq = event.seq;
      if (event.type === "run.finished") return;
    }
  }
}

/** Reads events of a run in order, from memory if available and otherwise from the store. */
export function readLiveEvents(
  { runId, feed }: LiveRun,
  runs: RunStore,
  reading: EventReading,
): AsyncGenerator<RunEvent, void, undefined> {
  return readEvents(async (afterSeq) => {
    const isLast = feed.hasEnded;
    const events = feed.after(afterSeq) ?? (await runs.readEvents(runId, { afterSeq }));
    if (events.length > 0) return events;
    if (!isLast) await feed.changed(reading.signal);
    return isLast ? undefined : events;
  }, reading);
}

/** Reads events of a run that this process does not follow, by polling the store. */
export function readStoredEvents(
  runId: string,
  services: Pick<EngineServices, "runs" | "clock" | "limits">,
  reading: EventReading,
): AsyncGenerator<RunEvent, void, undefined> {
  const { runs, clock } = services;
  const { signal } = reading;
  let idle = 0;
  return readEvents(async (afterSeq) => {
    const events = await runs.readEvents(runId, { afterSeq });
    if (events.length > 0) {
      idle = 0;
      return events;
    }
    const { result, lease } = (await runs.loadRun(runId)) ?? {};
    if (result !== undefined) return undefined;
    const delayMs = pollDelay(services, idle, lease);
    idle += 1;
    await pause(clock, delayMs, (wake) => signal && onAbort(signal, wake));
    return events;
  }, reading);
}

/** Returns the delay before the next poll, after this many that found nothing new. Longer if no worker has the run. */
export function pollDelay(
  { clock, limits }: Pick<EngineServices, "clock" | "limits">,
  idleLooks: number,
  lease: RunLease | undefined,
): number {
  const hasWorker = lease !== undefined && lease.expiresAtMs > clock.now();
  return limits.pollMs * 2 ** Math.min(hasWorker ? 1 : 4, idleLooks);
}
