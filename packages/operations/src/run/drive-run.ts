import type { ChatMessage } from "@ccl/core";

import { deepFreeze } from "../artifact/deep-freeze.ts";
import type { EventFeed } from "../events/event-feed.ts";
import type { RunEvent } from "../events/run-event.ts";
import type { EventSource } from "../events/stamp-event.ts";
import type { OperationErrorCode } from "../operation/operation-outcome.ts";
import { OperationsError } from "../operations-error.ts";
import type { RunStep } from "../ports/run-step.ts";
import type { RunInput, RunLease } from "../ports/run-store.ts";
import { toArtifactMap } from "./artifact-view.ts";
import { buildResult, withReason } from "./build-result.ts";
import type { EngineServices } from "./engine-services.ts";
import { createEventEmitter } from "./event-emitter.ts";
import { createCommandExecutor, type CommandExecutor } from "./execute-commands.ts";
import { messageOf } from "../operation/message-of.ts";
import type { PreparedPlan } from "./prepare-run.ts";
import type { TransitionNote } from "./reduce-run.ts";
import { knownEvents, nothingKnown, replaySteps, type KnownEvents } from "./replay-steps.ts";
import { startOperation } from "./run-operation.ts";
import { createRecord, releaseRecord, type RunDesk } from "./run-desk.ts";
import { createNoteReader } from "./run-notes.ts";
import type { RunResult } from "./run-result.ts";
import type { RunCommand, StopCause } from "./run-state.ts";
import { safeText } from "./safe-text.ts";

/** A run that a worker has the lease on. */
export interface DrivenRun extends PreparedPlan {
  services: EngineServices;
  input: RunInput;
  lease: RunLease;
  feed: EventFeed;
  /** What the run has done already, with all its events; absent for a new one. */
  former?: { steps: readonly RunStep[]; events: readonly RunEvent[] } | undefined;
  /** Somebody asked for the end before the worker came. */
  abort?: { reason?: string | undefined } | undefined;
}

/** A run under way. */
export interface RunDrive {
  /** Undefined where another worker has taken the run over. Never rejects. */
  result: Promise<RunResult | undefined>;
  stop(cause: StopCause, reason?: string): void;
}

/** Timers that are taken back when the run ends. */
interface Timers {
  set(delayMs: number, callback: () => void): () => void;
  clear(): void;
}

/** Carries a run to its end. */
export function driveRun(run: DrivenRun): RunDrive {
  const { services, input, plan, feed } = run;
  const known = run.former === undefined ? nothingKnown : knownEvents(run.former.events);
  const timers = createTimers(services);
  let settle: (result: RunResult | undefined) => void = () => {};
  let isOver = false;
  const result = new Promise<RunResult | undefined>((resolve) => {
    settle = (value) => {
      isOver = true;
      timers.clear();
      desk.writer.close();
      if (value === undefined) stopHandlers(desk, "The run goes on elsewhere.");
      for (const record of desk.records) releaseRecord(record, services.limiter);
      resolve(value);
    };
  });
  const source = eventSource(run, known);
  const records = plan.operations.map(createRecord);
  const writer = services.journal.open({
    runId: input.runId,
    fencingToken: run.lease.fencingToken,
    nextSeq: known.lastSeq + 1,
    reader: createNoteReader({ source, operations: plan.operations, records }),
    onStored: (events) => feed.publish(events),
    onLost: (error) => desk.giveUp(error),
  });
  const machine = run.begin();
  const emitter = createEventEmitter({ source, known, writer });
  const controller = new AbortController();
  const desk: RunDesk = {
    services,
    input,
    plan,
    lease: run.lease,
    handlers: run.handlers,
    places: run.places,
    writer,
    records,
    machine,
    state: machine.state,
    signal: controller.signal,
    abort: (reason) => controller.abort(reason),
    dispatch: createDispatcher((transition) => {
      if (isOver) return;
      const notes = machine.reduce(transition);
      if (notes === undefined) return;
      for (const note of notes) {
        if (typeof note === "number") startOperation(desk, note);
        else executor.execute(note);
      }
    }),
    giveUp(error) {
      if (isOver) return;
      if (
        error === undefined ||
        (OperationsError.isInstance(error) && error.code === "stale_lease")
      )
        settle(undefined);
      else desk.dispatch({ type: "fault", details: storeFault(error) });
    },
    emit: emitter.emit,
    emitStart: emitter.emitStart,
    emitEnd: emitter.emitEnd,
    // Last: fields after a spread take V8 four times as long.
    ...nothingLoaded(),
  };
  const executor = createCommandExecutor(desk, {
    mainAttempts: known.mainAttempts,
    onStop: (command) => onStop(desk, timers, command),
    onFinish: (command) => void finish(desk, executor, command).then(settle),
  });
  const { stop, onLoaded } = createStopper(desk, () => isOver);
  keepLease(desk, timers, stop);
  const { deadlineMs } = input;
  if (deadlineMs !== undefined)
    timers.set(deadlineMs - services.clock.now(), () => stop("deadline"));
  load(desk, known.lastSeq === 0, () => {
    const commands = run.former === undefined ? [] : replaySteps(desk, run.former.steps, known);
    for (const command of commands) executor.execute(command);
    if (run.abort !== undefined) stop("user_abort", run.abort.reason);
    if (deadlineMs !== undefined && deadlineMs <= services.clock.now()) stop("deadline");
    onLoaded();
    if (run.former === undefined) desk.dispatch({ type: "begin" });
  });
  return { result, stop };
}

type Unloaded =
  | "sessionKey"
  | "history"
  | "artifacts"
  | "persisted"
  | "heads"
  | "written"
  | "commitLog"
  | "main"
  | "hasEffects"
  | "isStopping"
  | "nowMs";

function nothingLoaded(): Pick<RunDesk, Unloaded> {
  return {
    sessionKey: undefined,
    history: [],
    artifacts: {},
    persisted: {},
    heads: undefined,
    written: undefined,
    commitLog: [],
    main: { executed: false },
    hasEffects: false,
    isStopping: false,
    nowMs: undefined,
  };
}

function eventSource(
  { input, services: { clock } }: DrivenRun,
  { epoch, lastSeq }: KnownEvents,
): EventSource {
  const { runId, chatId, branchId, userMessageId, trigger } = input;
  return { runId, chatId, branchId, userMessageId, trigger, epoch: epoch + 1, clock, seq: lastSeq };
}

/** Stops a run, once it is loaded: before that there is nothing to say how its operations ended. */
function createStopper(
  desk: RunDesk,
  isOver: () => boolean,
): { stop: RunDrive["stop"]; onLoaded: () => void } {
  let isLoaded = false;
  let early: { cause: StopCause; reason: string | undefined } | undefined;
  const stop = (cause: StopCause, reason?: string): void => {
    if (isOver() || desk.state.stop !== undefined) return;
    if (!isLoaded) {
      early ??= { cause, reason };
      return;
    }
    const { stage } = desk.state;
    if (stage === "commit_after" || stage === "finished") return;
    desk.isStopping = true;
    desk.writer.step({ kind: "stop", cause, reason });
    desk.dispatch({ type: "stop", cause });
  };
  return {
    stop,
    onLoaded() {
      isLoaded = true;
      if (early !== undefined) stop(early.cause, early.reason);
    },
  };
}

/** One transition after the other, those that come up meanwhile too. */
function createDispatcher(take: (transition: TransitionNote) => void): RunDesk["dispatch"] {
  // What comes up meanwhile, which is seldom anything.
  const queue: TransitionNote[] = [];
  let isBusy = false;
  return (transition) => {
    if (isBusy) {
      queue.push(transition);
      return;
    }
    isBusy = true;
    try {
      take(transition);
      if (queue.length > 0) for (const next of queue) take(next);
    } finally {
      if (queue.length > 0) queue.length = 0;
      isBusy = false;
    }
  };
}

function announceStart(desk: RunDesk): void {
  const { initiator } = desk.input;
  desk.emit({ type: "run.started", initiator });
  desk.emit({ type: "run.phase_changed", phase: "planning" });
  for (const { operationId, definition, hook, reason } of desk.plan.leftOut) {
    const finishedAt = desk.services.clock.now();
    const named = { operationId, operationName: definition.name, hook };
    desk.emit({
      type: "operation.finished",
      ...named,
      status: "skipped",
      skippedReason: reason,
      finishedAt,
    });
  }
}

/** Announces the run once what it works on is there or can't be had, so that its first events are stored with those that follow. */
function load(desk: RunDesk, isNew: boolean, goOn: () => void): void {
  const loaded = Promise.all([loadHistory(desk, isNew), openSession(desk)]);
  loaded.then(
    () => {
      announceStart(desk);
      goOn();
    },
    (error: unknown) => {
      announceStart(desk);
      desk.giveUp(error);
    },
  );
}

/** The chat up to the turn, frozen. */
async function loadHistory(desk: RunDesk, isNew: boolean): Promise<void> {
  const { input, services } = desk;
  const { chatId, branchId, userMessageId, userMessage } = input;
  if (userMessage !== undefined) {
    await services.chat.appendUserMessage({
      chatId,
      branchId,
      userMessageId,
      content: userMessage,
    });
  }
  const turn = await services.chat.loadTurn({ chatId, branchId, userMessageId });
  if (turn === undefined) {
    throw new OperationsError(
      "unknown_turn",
      `There is no user message ${JSON.stringify(userMessageId)} in the branch.`,
    );
  }
  // Of a run that has begun the turn may have another variant by now.
  const said = isNew && userMessage !== undefined ? turn.history.at(-1)?.content : undefined;
  if (
    said !== undefined &&
    userMessage !== undefined &&
    plainText(said) !== plainText(userMessage)
  ) {
    const message = `The branch has a user message ${JSON.stringify(userMessageId)} with another text; give a new id, or leave userMessage out.`;
    throw new OperationsError("idempotency_conflict", message);
  }
  desk.history = deepFreeze(turn.history.map((message) => ({ ...message })));
}

function plainText(content: ChatMessage["content"]): string {
  if (typeof content === "string") return content;
  return content.map((part) => (part.type === "text" ? part.text : "")).join("");
}

/** The state that the turn works on, frozen. */
async function openSession(desk: RunDesk): Promise<void> {
  const { input, services } = desk;
  const { chatId, branchId, userMessageId, profile } = input;
  if (profile === undefined || desk.plan.operations.length === 0) return;
  const { profileId, operationProfileSessionId } = profile;
  const key = { chatId, branchId, profileId, operationProfileSessionId };
  const snapshot = await services.sessions.openTurn(key, { userMessageId });
  desk.sessionKey = key;
  desk.artifacts = toArtifactMap(snapshot.artifacts.map(deepFreeze));
  desk.persisted = desk.artifacts;
  desk.heads = new Map(Object.entries(snapshot.heads));
}

function createTimers({ clock }: EngineServices): Timers {
  const running = new Set<() => void>();
  return {
    set(delayMs, callback) {
      const cancel = clock.schedule(Math.max(0, delayMs), () => {
        running.delete(cancel);
        callback();
      });
      running.add(cancel);
      return () => {
        running.delete(cancel);
        cancel();
      };
    },
    clear() {
      for (const cancel of running) cancel();
      running.clear();
    },
  };
}

/** Renews the lease again and again, and hears of aborts from elsewhere. */
function keepLease(desk: RunDesk, timers: Timers, stop: RunDrive["stop"]): void {
  const { runs, clock, limits } = desk.services;
  const renew = async (): Promise<void> => {
    try {
      const renewal = await runs.renewLease(desk.lease, {
        ttlMs: limits.leaseMs,
        nowMs: clock.now(),
      });
      if (renewal.status === "lost") {
        desk.giveUp(undefined);
        return;
      }
      desk.lease = renewal.lease;
      if (renewal.abort !== undefined) stop("user_abort", renewal.abort.reason);
    } catch {
      // The next renewal may come through; until then the fencing token keeps others' writes apart.
    }
    schedule();
  };
  const schedule = (): void => {
    if (desk.state.stage !== "finished") timers.set(limits.renewMs, () => void renew());
  };
  schedule();
}

function onStop(
  desk: RunDesk,
  timers: Timers,
  { cause }: Extract<RunCommand, { type: "signal_abort" }>,
): void {
  desk.isStopping = true;
  stopHandlers(
    desk,
    cause === "deadline" ? "The run's deadline has passed." : "The run was aborted.",
  );
  timers.set(desk.services.limits.graceMs, () => desk.dispatch({ type: "grace_over" }));
}

function stopHandlers(desk: RunDesk, message: string): void {
  desk.isStopping = true;
  const { signal, records } = desk;
  if (!signal.aborted) desk.abort(new DOMException(message, "AbortError"));
  for (const record of records) record.attempt?.timer?.abort(signal.reason);
  for (const record of records) record.cancelWait?.();
}

async function finish(
  desk: RunDesk,
  executor: CommandExecutor,
  command: Extract<RunCommand, { type: "finish" }>,
): Promise<RunResult | undefined> {
  await executor.saved();
  const end = withReason(desk, command);
  const result = Object.freeze(buildResult(desk, end));
  const { status, failedType, failedDetails, finishReason } = end;
  desk.emit({ type: "run.phase_changed", phase: "finished" });
  desk.emit({
    type: "run.finished",
    status,
    failedType: failedType || undefined,
    failedDetails,
    finishReason: finishReason || undefined,
  });
  desk.writer.finish(result);
  const isStored = await desk.writer.flushed();
  return isStored ? result : unstored(result);
}

function unstored(result: RunResult): RunResult {
  if (result.status === "failed" && result.failedDetails?.errorCode === "internal_error")
    return result;
  const failedType =
    result.failedType ?? (result.mainLlm.executed ? "after_main_llm" : "before_barrier");
  const failedDetails = {
    errorCode: "internal_error",
    errorMessage: "The end of the run could not be stored; resume it.",
  } as const;
  return { ...result, status: "failed", failedType, failedDetails };
}

function storeFault(error: unknown): { errorCode: OperationErrorCode; errorMessage: string } {
  const message = messageOf(error);
  const code = OperationsError.isInstance(error) ? error.code : undefined;
  if (code === "unknown_turn")
    return { errorCode: "validation_error", errorMessage: safeText(message, 512) };
  if (code === "idempotency_conflict")
    return { errorCode: code, errorMessage: safeText(message, 512) };
  return { errorCode: "internal_error", errorMessage: safeText(`A store failed: ${message}`, 512) };
}
