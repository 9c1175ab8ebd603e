import type { Clock } from "@ccl/core";

import type { RunEvent } from "../events/run-event.ts";
import { operationFinished, operationStarted, stampEvent } from "../events/stamp-event.ts";
import type { RunInput } from "../ports/run-store.ts";
import { endKey, onceKey, type KnownEvents } from "./replay-steps.ts";
import type { RunDesk } from "./run-desk.ts";

/** What the events of a run are made from and where they go. */
export interface EventEmitterOptions {
  input: RunInput;
  clock: Clock;
  known: KnownEvents;
  write(event: RunEvent): void;
}

/** Gives events their numbers and passes them on, but for those that are known from before a crash. */
export function createEventEmitter(options: EventEmitterOptions): Pick<RunDesk, "emit" | "emitStart" | "emitEnd"> {
  const { input, clock, known, write } = options;
  const { runId, chatId, branchId, userMessageId, trigger } = input;
  const source = { runId, chatId, branchId, userMessageId, trigger, epoch: known.epoch + 1, clock, seq: known.lastSeq };
  const isKnown = (key: string | undefined): boolean => key !== undefined && known.keys.has(key);
  return {
    emit(body) {
      if (known.keys.size === 0 || !isKnown(onceKey(body))) write(stampEvent(source, body));
    },
    emitStart: (operation, record) => write(operationStarted(source, operation, record)),
    emitEnd(operation, record) {
      const { hook, operationId } = operation;
      if (known.keys.size > 0 && isKnown(endKey(hook, operationId))) return;
      write(operationFinished(source, operation, record));
    },
  };
}
