import { stampEvent, type EventSource } from "../events/stamp-event.ts";
import { endKey, onceKey, type KnownEvents } from "./replay-steps.ts";
import type { RunDesk } from "./run-desk.ts";
import type { EventNote } from "./run-notes.ts";

/** What the events of a run are made from and where they go. */
export interface EventEmitterOptions {
  source: EventSource;
  known: KnownEvents;
  write(note: EventNote): void;
}

/** Gives events their numbers and passes them on, but for those that are known from before a crash. */
export function createEventEmitter(options: EventEmitterOptions): Pick<RunDesk, "emit" | "emitStart" | "emitEnd"> {
  const { source, known, write } = options;
  const isKnown = (key: string | undefined): boolean => key !== undefined && known.keys.has(key);
  const note = (number: number): void => {
    source.seq += 1;
    write(number);
  };
  return {
    emit(body) {
      if (known.keys.size === 0 || !isKnown(onceKey(body))) write(stampEvent(source, body));
    },
    emitStart: ({ index }) => note(index),
    emitEnd({ index, hook, operationId }) {
      if (known.keys.size === 0 || !isKnown(endKey(hook, operationId))) note(~index);
    },
  };
}
