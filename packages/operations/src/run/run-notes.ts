import { operationFinished, operationStarted, type EventSource } from "../events/stamp-event.ts";
import type { EventError, RunEvent } from "../events/run-event.ts";
import type { SkippedReason } from "../operation/operation-outcome.ts";
import type { OperationStep, RunStep } from "../ports/run-step.ts";
import type { PlannedOperation } from "./plan-run.ts";
import type { OperationRecord } from "./run-desk.ts";

/** An event, a step, or a number for those that tell what is in the record of an operation. */
export type RunNote = RunEvent | RunStep | number;

// What the lowest two bits of a number say; the others are the operation's.
const started = 0;
const ended = 1;
const lastStep = 2;

/** That an operation has started. */
export function startNote(index: number): number {
  return (index << 2) | started;
}

/** How an operation has ended: the event, its last step, or both. */
export function endNote(
  index: number,
  { isEvent, isStep }: { isEvent: boolean; isStep: boolean },
): number {
  return (index << 2) | (isEvent ? ended : 0) | (isStep ? lastStep : 0);
}

/**
 * Makes what notes stand for. All that events and steps tell of an operation is in its record, which does not change
 * once they are noted, so that they take no room until somebody reads them.
 */
export interface NoteReader {
  events(notes: readonly RunNote[], firstSeq: number): RunEvent[];
  steps(notes: readonly RunNote[]): RunStep[];
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
    if (operation === undefined || progress === undefined)
      throw new RangeError(`There is no operation ${index}.`);
    return { operation, progress };
  };
  return {
    events(notes, firstSeq) {
      const events: RunEvent[] = [];
      for (const note of notes) {
        const seq = firstSeq + events.length;
        if (typeof note !== "number") {
          if ("type" in note) events.push(note);
        } else if ((note & (ended | lastStep)) === started) {
          events.push(operationStarted(source, { seq, ...at(note >> 2) }));
        } else if ((note & ended) !== 0) {
          events.push(operationFinished(source, { seq, ...at(note >> 2) }));
        }
      }
      return events;
    },
    steps(notes) {
      const steps: RunStep[] = [];
      for (const note of notes) {
        if (typeof note !== "number") {
          if ("kind" in note) steps.push(note);
        } else if ((note & lastStep) !== 0) {
          const { operation, progress } = at(note >> 2);
          steps.push(stepOf(operation, progress, progress));
        }
      }
      return steps;
    },
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
    startedAt,
    isExempt: record.isExempt || undefined,
    skippedReason,
    error,
    effects: effects.length > 0 ? effects : undefined,
    lateStatus,
    inputsSummary,
    outputsSummary,
  };
}
