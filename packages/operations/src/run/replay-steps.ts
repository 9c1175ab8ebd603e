import type { RunEvent, RunEventBody } from "../events/run-event.ts";
import type { Hook } from "../operation/operation-definition.ts";
import type { OperationStep, RunStep } from "../ports/run-step.ts";
import { adoptCommit } from "./commit-hook.ts";
import { commitFailure, mainRun } from "./execute-commands.ts";
import { commandOf } from "./reduce-run.ts";
import { tellNews, type OperationRecord, type RunDesk } from "./run-desk.ts";
import type { RunCommand, RunTransition } from "./run-state.ts";

/** What the events of a run say about what was begun. */
export interface KnownEvents {
  /** Of the events that a run has once. */
  keys: ReadonlySet<string>;
  lastSeq: number;
  /** 0 before the first event. */
  epoch: number;
  mainAttempts: number;
  /** By hook and operation. */
  attempts: ReadonlyMap<string, { attempt: number; startedAt: number }>;
}

/** Of a run without any events. */
export const nothingKnown: KnownEvents = {
  keys: new Set(),
  attempts: new Map(),
  mainAttempts: 0,
  lastSeq: 0,
  epoch: 0,
};

/** Reads what the events say. */
export function knownEvents(events: readonly RunEvent[]): KnownEvents {
  const keys = new Set<string>();
  const attempts = new Map<string, { attempt: number; startedAt: number }>();
  let mainAttempts = 0;
  for (const event of events) {
    const key = onceKey(event);
    if (key !== undefined) keys.add(key);
    if (event.type === "main_llm.started") mainAttempts = Math.max(mainAttempts, event.attempt);
    if (event.type === "operation.started") {
      attempts.set(`${event.hook}/${event.operationId}`, {
        attempt: event.attempt,
        startedAt: event.ts,
      });
    }
  }
  const last = events.at(-1);
  return { keys, attempts, mainAttempts, lastSeq: last?.seq ?? 0, epoch: last?.epoch ?? 0 };
}

/** What the end of an operation is known by. */
export function endKey(hook: Hook, operationId: string): string {
  return `operation.finished/${hook}/${operationId}`;
}

/** What an event is known by that a run has once; undefined for those that may come again after a crash. */
export function onceKey(event: RunEventBody): string | undefined {
  switch (event.type) {
    case "run.phase_changed":
      return `${event.type}/${event.phase}/${event.hook ?? ""}`;
    case "operation.finished":
      return endKey(event.hook, event.operationId);
    case "run.started":
    case "main_llm.finished":
    case "run.finished":
      return event.type;
    default:
      return undefined;
  }
}

/**
 * Brings a run to where its steps say that it stands, doing nothing; gives what is still to be done, what was announced
 * among it.
 */
export function replaySteps(
  desk: RunDesk,
  steps: readonly RunStep[],
  known: KnownEvents,
): RunCommand[] {
  const indexes = new Map(
    desk.plan.operations.map(({ index, hook, operationId }) => [`${hook}/${operationId}`, index]),
  );
  for (const [key, { attempt, startedAt }] of known.attempts) {
    const record = desk.records[indexes.get(key) ?? -1];
    if (record === undefined) continue;
    record.attempts = attempt;
    record.startedAt = startedAt;
  }
  const commands: RunCommand[] = [];
  const reduce = (transition: RunTransition): void => {
    for (const note of desk.machine.reduce(transition) ?? []) commands.push(commandOf(note));
  };
  reduce({ type: "begin" });
  for (const step of steps) {
    const transition = adopt(desk, step, indexes);
    if (transition !== undefined) reduce(transition);
  }
  return commands.filter((command) => isOpen(desk, command));
}

function adopt(
  desk: RunDesk,
  step: RunStep,
  indexes: ReadonlyMap<string, number>,
): RunTransition | undefined {
  switch (step.kind) {
    case "operation": {
      const index = indexes.get(`${step.hook}/${step.operationId}`);
      const record = index === undefined ? undefined : desk.records[index];
      if (index === undefined || record === undefined) return undefined;
      record.attempts = Math.max(record.attempts, step.attempt);
      if (step.willRetry === true) return undefined;
      fillRecord(record, step);
      if (record.hasNews || record.effects.length > 0) tellNews(desk, index);
      const { status, isExempt, skippedReason, error } = step;
      const reason = { isExempt: isExempt || undefined, skippedReason: skippedReason || undefined };
      const failure =
        error === undefined ? {} : { errorCode: error.code, errorMessage: error.message };
      return { type: "operation_finished", index, status, ...reason, ...failure };
    }
    case "commit": {
      const { hook, entries } = step;
      adoptCommit(desk, hook, entries);
      const failure = commitFailure(desk, hook, entries);
      return { type: "commit_finished", hook, failure };
    }
    case "main_llm": {
      desk.main = mainRun(desk, step);
      const { status, error } = step;
      return {
        type: "main_finished",
        status,
        errorCode: error ? error.code : undefined,
        errorMessage: error ? error.message : undefined,
      };
    }
    case "stop":
      desk.isStopping = true;
      return { type: "stop", cause: step.cause };
  }
}

function fillRecord(record: OperationRecord, step: OperationStep): void {
  record.status = step.status;
  record.skippedReason = step.skippedReason;
  record.error = step.error;
  record.startedAt = step.startedAt;
  record.finishedAt = step.finishedAt;
  record.lateStatus = step.lateStatus;
  record.inputsSummary = step.inputsSummary;
  record.outputsSummary = step.outputsSummary;
  record.effects = step.effects ?? [];
}

/** Announcements count as open: events that are stored already are not stored again. */
function isOpen(desk: RunDesk, command: RunCommand): boolean {
  const { state } = desk;
  switch (command.type) {
    case "start_operation":
      return state.progress.at(command.index) === "ready";
    case "commit":
      return (
        state.stage === (command.hook === "before_main_llm" ? "commit_before" : "commit_after")
      );
    case "start_main":
      return state.isMainRunning;
    default:
      return true;
  }
}
