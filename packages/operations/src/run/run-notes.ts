import { operationFinished, operationStarted, type EventSource } from "../events/stamp-event.ts";
import type { EventError, RunEvent } from "../events/run-event.ts";
import type { SkippedReason } from "../operation/operation-outcome.ts";
import type { OperationStep, RunStep } from "../ports/run-step.ts";
import type { PlannedOperation } from "./plan-run.ts";
import type { OperationRecord } from "./run-desk.ts";

/** An event, or a number: `n` for the start of operation n, `~n` for its end. */
export type EventNote = RunEvent | number;

/** A step, or the number of the operation whose last one it is. */
export type StepNote = RunStep | number;

/**
 * Makes what notes stand for. All that events and steps tell of an operation is in its record, which does not change
 * once they are noted, so that they take no room until somebody reads them.
 */
export interface NoteReader {
  events(notes: readonly EventNote[], firstSeq: number): RunEvent[];
  steps(notes: readonly StepNote[]): RunStep[];
}

/** What notes are about. */
export interface NotedRun {
  source: EventSource;
  operations: readonly PlannedOperation[];
  records: readonly OperationRecord[];
}

/** The reader of one worker's notes. */
export function createNoteReader({ source, operations, records }: NotedRun): NoteReader {
  const at = (index: number): { operation: PlannedOperation; progress: OperationRecord } => {
    const [operation, progress] = [operations[index], records[index]];
    if (operation === undefined || progress === undefined) throw new RangeError(`There is no operation ${index}.`);
    return { operation, progress };
  };
  return {
    events: (notes, firstSeq) =>
      notes.map((note, place) => {
        if (typeof note !== "number") return note;
        const seq = firstSeq + place;
        return note < 0
          ? operationFinished(source, { seq, ...at(~note) })
          : operationStarted(source, { seq, ...at(note) });
      }),
    steps: (notes) =>
      notes.map((note) => {
        if (typeof note !== "number") return note;
        const { operation, progress } = at(note);
        return stepOf(operation, progress, progress);
      }),
  };
}

type StepOutcome = Pick<OperationRecord, "status" | "effects"> & {
  skippedReason?: SkippedReason | undefined;
  error?: EventError | undefined;
};

/** How an attempt ended; the outcome of the last one is in the record. */
export function stepOf(
  { hook, operationId }: PlannedOperation,
  record: OperationRecord,
  { status = "aborted", skippedReason, error, effects }: StepOutcome,
): OperationStep {
  const { attempts, startedAt, finishedAt, lateStatus, inputsSummary, outputsSummary } = record;
  return {
    kind: "operation",
    hook,
    operationId,
    attempt: Math.max(1, attempts),
    status,
    finishedAt: finishedAt ?? startedAt ?? 0,
    ...(startedAt !== undefined && { startedAt }),
    ...(record.isExempt && { isExempt: true }),
    ...(skippedReason !== undefined && { skippedReason }),
    ...(error !== undefined && { error }),
    ...(effects.length > 0 && { effects }),
    ...(lateStatus !== undefined && { lateStatus }),
    ...(inputsSummary !== undefined && { inputsSummary }),
    ...(outputsSummary !== undefined && { outputsSummary }),
  };
}
