import { onAbort } from "@ccl/core/async";
import type { ListenerErrorHandler } from "@ccl/core/events";

import { createEventFeed, type EventFeed, type RunEventListener } from "../events/event-feed.ts";
import type { RunEvent } from "../events/run-event.ts";
import type { RunInput, RunLease, RunStore } from "../ports/run-store.ts";
import type { RunClock } from "../ports/run-clock.ts";
import type { RunDrive } from "./drive-run.ts";
import type { EngineServices } from "./engine-services.ts";
import { messageOf } from "../operation/message-of.ts";
import type { RunResult } from "./run-result.ts";
import { safeText } from "./safe-text.ts";

/** A run that this process follows, executed here or elsewhere. */
export interface LiveRun {
  readonly runId: string;
  readonly feed: EventFeed;
  /** Never rejects. */
  readonly result: Promise<RunResult>;
  /** Present while this process executes it. */
  drive?: RunDrive | undefined;
  /** A lease that waits to be used. */
  prepared?: { input: RunInput; lease: RunLease } | undefined;
  /** To resume the run with. */
  lease?: RunLease | undefined;
  isFollowed: boolean;
  /** True if this process may resume the run once its lease is free. */
  mayTake: boolean;
  /** An abort from this process, before there was a worker. */
  earlyAbort?: { reason?: string | undefined } | undefined;
  /** Ends a pause between two looks at the store. */
  wake?: (() => void) | undefined;
  settle(result: RunResult): void;
  abort(reason?: string): void;
}

/** What a caller gets of a run. */
export interface RunHandle {
  readonly runId: string;
  /** All events from the first on, then live, until `run.finished`. Each iteration begins anew. */
  readonly events: AsyncIterable<RunEvent>;
  /** Calls the listener for each later event; returns a function that unsubscribes it. What it throws is reported. */
  onEvent(listener: RunEventListener): () => void;
  /** Ends the run; nothing starts any more. A second call changes nothing. */
  abort(reason?: string): void;
  /** Never rejects. */
  readonly result: Promise<RunResult>;
}

// Older ones come from the store.
const keptEvents = 1_024;

/** A run without a worker yet. */
export function createLiveRun(
  runId: string,
  options: {
    runs: RunStore;
    onListenerError?: ListenerErrorHandler | undefined;
  },
): LiveRun {
  const { runs, onListenerError } = options;
  const feed = createEventFeed(keptEvents, onListenerError);
  let resolve: (result: RunResult) => void = () => {};
  const result = new Promise<RunResult>((done) => {
    resolve = done;
  });
  const live: LiveRun = {
    runId,
    feed,
    result,
    isFollowed: false,
    mayTake: false,
    settle(value) {
      feed.end();
      resolve(value);
    },
    abort(reason) {
      const safe = reasonOf(reason);
      if (live.drive !== undefined) {
        live.drive.stop("user_abort", safe);
        return;
      }
      const request = { reason: safe };
      live.earlyAbort ??= request;
      // A worker elsewhere sees it when it renews its lease; a run that has ended does not care.
      runs.requestAbort(runId, request).catch(() => {});
    },
  };
  return live;
}

/** A reason that may be stored. Callers without types abort with errors, or from a listener with an event. */
export function reasonOf(reason: unknown): string | undefined {
  if (typeof reason === "string") return safeText(reason, 512);
  return reason instanceof Error ? safeText(messageOf(reason), 512) : undefined;
}

/** Which events are read. */
export interface EventReading {
  /** 0 by default: all of them. */
  afterSeq?: number | undefined;
  /** Ends the reading without an error. */
  signal?: AbortSignal | undefined;
}

/** Events of a run in order, from memory where it has them and from the store where not. */
export async function* readLiveEvents(
  live: LiveRun,
  runs: RunStore,
  { afterSeq = 0, signal }: EventReading,
): AsyncGenerator<RunEvent, void, undefined> {
  let seq = afterSeq;
  const isOver = (): boolean => signal?.aborted === true;
  while (!isOver()) {
    const isLast = live.feed.hasEnded;
    const events = live.feed.after(seq) ?? (await runs.readEvents(live.runId, { afterSeq: seq }));
    for (const event of events) {
      if (isOver()) return;
      yield Object.freeze(event);
      seq = event.seq;
      if (event.type === "run.finished") return;
    }
    if (events.length > 0) continue;
    if (isLast) return;
    await live.feed.changed(signal);
  }
}

/** Events of a run that this process does not follow, by polling the store. */
export async function* readStoredEvents(
  runId: string,
  services: Pick<EngineServices, "runs" | "clock" | "limits">,
  { afterSeq = 0, signal }: EventReading,
): AsyncGenerator<RunEvent, void, undefined> {
  const isOver = (): boolean => signal?.aborted === true;
  let seq = afterSeq;
  const { runs, clock } = services;
  for (let idle = 0; !isOver(); idle += 1) {
    const events = await runs.readEvents(runId, { afterSeq: seq });
    if (events.length > 0) idle = -1;
    for (const event of events) {
      if (isOver()) return;
      yield Object.freeze(event);
      seq = event.seq;
      if (event.type === "run.finished") return;
    }
    if (events.length > 0) continue;
    const { result, lease } = (await runs.loadRun(runId)) ?? {};
    if (result !== undefined) return;
    await pause(clock, pollDelay(services, idle, lease), signal);
  }
}

/** The time until the next look after so many that found nothing new; longer where no worker has the run. */
export function pollDelay(
  { clock, limits }: Pick<EngineServices, "clock" | "limits">,
  idleLooks: number,
  lease: RunLease | undefined,
): number {
  const hasWorker = lease !== undefined && lease.expiresAtMs > clock.now();
  return limits.pollMs * 2 ** Math.min(hasWorker ? 1 : 4, idleLooks);
}

async function pause(
  clock: RunClock,
  delayMs: number,
  signal: AbortSignal | undefined,
): Promise<void> {
  await new Promise<void>((resolve) => {
    const end = (): void => {
      cancel();
      forget?.();
      resolve();
    };
    const cancel = clock.schedule(delayMs, end);
    const forget = signal && onAbort(signal, end);
  });
}
