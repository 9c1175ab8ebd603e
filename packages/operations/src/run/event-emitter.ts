import { stampEvent, type EventSource } from "../events/stamp-event.ts";
import { endKey, onceKey, type KnownEvents } from "./replay-steps.ts";
import type { RunDesk } from "./run-desk.ts";
import type { RunWriter } from "./run-journal.ts";

/** What the events of a run are made from and where they go. */
export interface EventEmitterOptions {
  source: EventSource;
  known: KnownEvents;
  writer: RunWriter;
}

// One for all: it is asked for with every operation.
const eventAndStep = { isEvent: true, isStep: true };

/** Gives events their numbers and passes them on, but for those that are known from before a crash. */
export function createEventEmitter(
  options: EventEmitterOptions,
): Pick<RunDesk, "emit" | "emitStart" | "emitEnd"> {
  const { source, known, writer } = options;
  const isKnown = (key: string | undefined): boolean => key !== undefined && known.keys.has(key);
  return {
    emit(body) {
      if (known.keys.size === 0 || !isKnown(onceKey(body))) writer.event(stampEvent(source, body));
    },
    emitStart({ index }) {
      source.seq += 1;
      writer.started(index);
    },
    emitEnd({ index, hook, operationId }, isStep) {
      const isEvent = known.keys.size === 0 || !isKnown(endKey(hook, operationId));
      if (isEvent) source.seq += 1;
      writer.ended(index, isEvent && isStep ? eventAndStep : { isEvent, isStep });
    },
  };
}
