import type { Clock } from "@ccl/core";

import type { RunEvent, RunEventBody } from "../events/run-event.ts";
import type { RunInput } from "../ports/run-store.ts";
import { onceKey, type KnownEvents } from "./replay-steps.ts";
import type { RunWriter } from "./run-journal.ts";

/** The data that the events of a run are built from, and their destination. */
export interface EventEmitterOptions {
  input: RunInput;
  clock: Clock;
  known: KnownEvents;
  writer: Pick<RunWriter, "event">;
}

/** Numbers events and writes them to the journal. Events that were stored before a crash are skipped. */
export function createEventEmitter(
  options: EventEmitterOptions,
): (body: RunEventBody, ts?: number) => void {
  const { clock, known, writer } = options;
  const { runId, chatId, branchId, userMessageId, trigger } = options.input;
  const epoch = known.epoch + 1;
  let seq = known.lastSeq;
  return (body, ts = clock.now()) => {
    const key = onceKey(body);
    if (key !== undefined && known.keys.has(key)) return;
    seq += 1;
    const stamp = { runId, chatId, branchId, userMessageId, trigger, seq, epoch, ts };
    const event: RunEvent = { ...body, ...stamp };
    writer.event(event);
  };
}
