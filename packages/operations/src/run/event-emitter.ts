import type { Clock } from "@ccl/core";

import type { RunEvent, RunEventBody } from "../events/run-event.ts";
import type { RunInput } from "../ports/run-store.ts";
import type { RunWriter } from "./run-journal.ts";

/** Information about started work, from the events of a run. */
export interface KnownEvents {
  /** Keys of the events that occur only once per run. */
  keys: ReadonlySet<string>;
  lastSeq: number;
  /** 0 before the first event. */
  epoch: number;
  mainAttempts: number;
  /** Attempts started, by hook and operation. */
  attempts: ReadonlyMap<string, { attempts: number; startedAt: number }>;
}

/** Collects the known events. */
export function knownEvents(events: readonly RunEvent[]): KnownEvents {
  const keys = new Set<string>();
  const attempts = new Map<string, { attempts: number; startedAt: number }>();
  let mainAttempts = 0;
  for (const event of events) {
    const key = onceKey(event);
    if (key !== undefined) keys.add(key);
    if (event.type === "main_llm.started") mainAttempts = Math.max(mainAttempts, event.attempt);
    if (event.type === "operation.started") {
      const { attempt, ts: startedAt } = event;
      attempts.set(`${event.hook}/${event.operationId}`, { attempts: attempt, startedAt });
    }
  }
  const last = events.at(-1);
  return { keys, attempts, mainAttempts, lastSeq: last?.seq ?? 0, epoch: last?.epoch ?? 0 };
}

/** Returns the key of an event that occurs only once per run. Undefined for events that may repeat after a crash. */
function onceKey(event: RunEventBody): string | undefined {
  switch (event.type) {
    case "run.phase_changed":
      return `${event.type}/${event.phase}/${event.hook ?? ""}`;
    case "operation.finished":
    case "operation.waiting":
    case "artifact.changed":
      return `${event.type}/${event.hook}/${event.operationId}`;
    case "variant.selected":
      return `${event.type}/${event.hook}/${event.operationId}/${event.side}`;
    case "run.started":
    case "main_llm.finished":
    case "run.finished":
      return event.type;
    default:
      return undefined;
  }
}

/** Data from which a run's events are built, and their destination. */
export interface EventEmitterOptions {
  input: RunInput;
  clock: Clock;
  known: KnownEvents;
  writer: Pick<RunWriter, "event">;
}

/** Numbers events and writes them to the journal. Skips events that were stored before a crash. */
export function createEventEmitter({
  input,
  clock,
  known,
  writer,
}: EventEmitterOptions): (body: RunEventBody, ts?: number) => void {
  const { runId, chatId, branchId, userMessageId, trigger } = input;
  const epoch = known.epoch + 1;
  let seq = known.lastSeq;
  return (body, ts = clock.now()) => {
    const key = onceKey(body);
    if (key !== undefined && known.keys.has(key)) return;
    seq += 1;
    // Properties after a spread are added one by one, which takes 30 times as long as before it.
    writer.event({ runId, chatId, branchId, userMessageId, trigger, seq, epoch, ts, ...body });
  };
}
