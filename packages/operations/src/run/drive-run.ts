import { continueTrace, traced, type TraceSpan } from "@ccl/core/tracing";
import { deepFreeze } from "@ccl/core/json";
import type { ChatMessage } from "@ccl/core";

import { createEventEmitter, knownEvents, type KnownEvents } from "./event-emitter.ts";
import { OperationsError } from "../operations-error.ts";
import { mergeTurns } from "../operation/turn-settings.ts";
import { foldState, sessionOf } from "../ports/chat-state.ts";
import type { RunStep } from "../ports/run-step.ts";
import { toArtifactMap } from "./artifact-view.ts";
import { buildResult, withReason } from "./build-result.ts";
import type { EngineServices } from "./engine-services.ts";
import { createCommandExecutor, type CommandExecutor } from "./execute-commands.ts";
import { messageOf } from "../operation/message-of.ts";
import type { RunDrive } from "./live-run.ts";
import type { DrivenRun } from "./prepare-run.ts";
import { reduceRun } from "./reduce-run.ts";
import { replaySteps } from "./replay-steps.ts";
import { openRunWriter } from "./run-journal.ts";
import { createRecord, releaseRecord, type RunContext } from "./run-context.ts";
import type { FailedDetails, RunResult } from "../events/run-result.ts";
import {
  initialRunState,
  type RunCommand,
  type RunTransition,
  type StopCause,
} from "./run-state.ts";
import { safeText } from "./safe-text.ts";
import type { OperationErrorCode } from "../operation/operation-failure.ts";

/** Timers that are cleared when the run ends. */
interface Timers {
  set(delayMs: number, callback: () => void): () => void;
  clear(): void;
}

/** Executes a run to its end. */
export function driveRun(driven: DrivenRun): RunDrive {
  const { runId, chatId, trace } = driven.input;
  const attributes = { "ccl.run.id": runId, "gen_ai.conversation.id": chatId };
  // Recovery timers and queues have no active span.
  return continueTrace(trace, () =>
    traced(
      "run",
      { ...attributes, "ccl.run.resumed": driven.former !== undefined },
      (span) => drive(driven, span),
      ({ result }) => result,
    ),
  );
}

function drive(driven: DrivenRun, span: TraceSpan): RunDrive {
  const { services, input, plan, feed } = driven;
  const known = knownEvents(driven.former?.events ?? []);
  const timers = createTimers(services);
  let settle: (result: RunResult | undefined) => void = () => {};
  let isOver = false;
  const result = new Promise<RunResult | undefined>((resolve) => {
    settle = (value) => {
      isOver = true;
      timers.clear();
      run.writer.close();
      span.set({ "ccl.run.status": value?.status });
      if (value === undefined) stopHandlers(run, "The run goes on elsewhere.");
      for (const record of run.records) releaseRecord(record, services.limiter);
      resolve(value);
    };
  });
  let abandon: () => void = () => {};
  const abandoned = new Promise<void>((resolve) => {
    abandon = resolve;
  });
  const records = plan.operations.map(createRecord);
  const writer = openRunWriter(services.runs, {
    runId: input.runId,
    fencingToken: driven.lease.fencingToken,
    onStored: (events) => feed.publish(events),
    onLost: (error) => run.giveUp(error),
  });
  const controller = new AbortController();
  const run: RunContext = {
    span,
    services,
    input,
    plan,
    lease: driven.lease,
    handlers: driven.handlers,
    places: driven.places,
    writer,
    records,
    state: initialRunState(plan),
    signal: controller.signal,
    abort: (reason) => controller.abort(reason),
    dispatch: createDispatcher((transition) => {
      if (isOver) return;
      for (const command of reduceRun(run.state, transition)) executor.execute(command);
    }),
    giveUp(error) {
      if (isOver) return;
      if (
        error === undefined ||
        (OperationsError.isInstance(error) && error.code === "stale_lease")
      )
        settle(undefined);
      else run.dispatch({ type: "engine_failed", details: storeFailure(error) });
    },
    emit: createEventEmitter({ input, clock: services.clock, known, writer }),
    history: [],
    turnPosition: 1,
    artifacts: {},
    persisted: {},
    commitLog: [],
    main: { executed: false },
    turn: mergeTurns(services.turn, input.profile?.turn, input.turn),
    turnMessages: [],
    hasEffects: false,
    isStopping: false,
  };
  const executor = createCommandExecutor(run, {
    mainAttempts: known.mainAttempts,
    onStop: (command) => onStop(run, timers, command),
    onFinish: (command) => void finish(run, { executor, command, abandoned }).then(settle),
  });
  // Abandons handlers that still run after the grace, and stores after the same time again.
  const leave = (): void => {
    if (isOver) return;
    writer.close();
    abandon();
    onLoaded();
    const errorMessage = "A store has not answered since the run was stopped.";
    run.dispatch({
      type: "engine_failed",
      details: { errorCode: "internal_error", errorMessage },
    });
  };
  const { stop, onLoaded } = createStopper(run, {
    isOver: () => isOver,
    onStop: () => timers.set(2 * services.limits.graceMs, leave),
  });
  keepLease(run, timers, stop);
  const { deadlineMs } = input;
  if (deadlineMs !== undefined)
    timers.set(deadlineMs - services.clock.now(), () => stop("deadline"));
  const { former } = driven;
  const takeOvers = former === undefined ? [] : former.steps.filter(isTakeOver);
  const isTried = former !== undefined && hasKilledWorkers(former.steps, known);
  load(run, { isNew: known.lastSeq === 0, takeOver: former && takeOvers.length + 1 }, () => {
    if (isOver) return;
    const commands = former === undefined ? [] : replaySteps(run, former.steps, known);
    if (isTried && driven.abort === undefined) {
      const isMainBegun = known.mainAttempts > 0;
      run.dispatch({ type: "engine_failed", details: workerLost, isMainBegun });
      return;
    }
    for (const command of commands) executor.execute(command);
    if (driven.abort !== undefined) stop("user_abort", driven.abort.reason);
    if (deadlineMs !== undefined && deadlineMs <= services.clock.now()) stop("deadline");
    onLoaded();
    if (former === undefined) run.dispatch({ type: "begin" });
  });
  return { result, stop };
}

/** Stops a run once it is loaded. Before that nobody knows how its operations ended. */
function createStopper(
  run: RunContext,
  { isOver, onStop: onFirstStop }: { isOver: () => boolean; onStop: () => void },
): { stop: RunDrive["stop"]; onLoaded: () => void } {
  let isLoaded = false;
  let isAsked = false;
  let early: { cause: StopCause; reason: string | undefined } | undefined;
  const stop = (cause: StopCause, reason?: string): void => {
    if (isOver() || run.state.stop !== undefined) return;
    if (!isAsked) onFirstStop();
    isAsked = true;
    if (!isLoaded) {
      early ??= { cause, reason };
      return;
    }
    const { stage } = run.state;
    if (stage === "commit_after" || stage === "finished") return;
    run.isStopping = true;
    run.writer.step({ kind: "stop", cause, reason });
    run.dispatch({ type: "stop", cause });
  };
  return {
    stop,
    onLoaded() {
      isLoaded = true;
      if (early !== undefined) stop(early.cause, early.reason);
    },
  };
}

/** Executes one transition after another. Those that arrive meanwhile are queued. */
function createDispatcher(take: (transition: RunTransition) => void): RunContext["dispatch"] {
  const queue: RunTransition[] = [];
  let isBusy = false;
  return (transition) => {
    queue.push(transition);
    if (isBusy) return;
    isBusy = true;
    try {
      for (const next of queue) take(next);
    } finally {
      queue.length = 0;
      isBusy = false;
    }
  };
}

function announceStart(run: RunContext): void {
  const { initiator } = run.input;
  run.emit({ type: "run.started", initiator });
  run.emit({ type: "run.phase_changed", phase: "planning" });
  for (const { operationId, definition, hook, reason } of run.plan.leftOut) {
    const finishedAt = run.services.clock.now();
    const named = { operationId, operationName: definition.name, hook };
    run.emit({
      type: "operation.finished",
      ...named,
      status: "skipped",
      skippedReason: reason,
      finishedAt,
    });
  }
}

/** Announces the run once loading has ended, so that its first events are stored together with those that follow. */
function load(
  run: RunContext,
  { isNew, takeOver }: { isNew: boolean; takeOver: number | undefined },
  onLoaded: () => void,
): void {
  const loaded = Promise.all([
    loadHistory(run, isNew),
    openState(run),
    takeOver && countTakeOver(run, takeOver),
  ]);
  loaded.then(
    () => {
      announceStart(run);
      onLoaded();
    },
    (error: unknown) => {
      announceStart(run);
      run.giveUp(error);
    },
  );
}

/** Stored before any work, so that it counts even if the run kills its worker immediately. */
async function countTakeOver({ writer }: RunContext, number: number): Promise<void> {
  writer.step({ kind: "take_over", number });
  await writer.flushed();
}

const isTakeOver = ({ kind }: RunStep): boolean => kind === "take_over";

/** True if too many workers in a row have completed nothing. A run that waits for an answer has nothing to complete. */
function hasKilledWorkers(steps: readonly RunStep[], { keys }: KnownEvents): boolean {
  const isWaiting = [...keys].some(
    (key) =>
      key.startsWith("operation.waiting/") &&
      !keys.has(key.replace("operation.waiting/", "operation.finished/")),
  );
  return !isWaiting && steps.length >= maxTakeOvers && steps.slice(-maxTakeOvers).every(isTakeOver);
}

/** How many workers in a row may resume a run and complete nothing before it fails. */
const maxTakeOvers = 10;
const workerLost: FailedDetails = {
  errorCode: "worker_lost",
  errorMessage: `The run has got nothing done in ${maxTakeOvers} workers in a row; it probably ends their processes.`,
};

const minTurns = 100;
const minTurnTokens = 20;

/** Loads the chat up to the turn, frozen. */
async function loadHistory(run: RunContext, isNew: boolean): Promise<void> {
  const { input, services } = run;
  const { chatId, branchId, userMessageId, userMessage } = input;
  const { prompt } = services.limits;
  // No turn is so short that more of them would fit.
  const maxTurns = prompt && Math.max(minTurns, Math.ceil(prompt.budget / minTurnTokens));
  const { chat } = services;
  const at = { chatId, branchId, userMessageId };
  let turn = await chat.loadTurn({ ...at, maxTurns });
  if (turn === undefined && userMessage !== undefined) {
    await chat.appendUserMessage({ ...at, content: userMessage });
    turn = await chat.loadTurn({ ...at, maxTurns });
  }
  if (turn === undefined) {
    throw new OperationsError(
      "unknown_turn",
      `There is no user message ${JSON.stringify(userMessageId)} in the branch.`,
    );
  }
  // If the run has begun before, the turn may have another variant by now.
  const said = isNew && userMessage !== undefined ? turn.history.at(-1)?.content : undefined;
  if (
    said !== undefined &&
    userMessage !== undefined &&
    plainText(said) !== plainText(userMessage)
  ) {
    const message = `The branch has a user message ${JSON.stringify(userMessageId)} with another text; give a new id, or leave userMessage out.`;
    throw new OperationsError("idempotency_conflict", message);
  }
  run.turnPosition = turn.position;
  run.history = deepFreeze(turn.history.map((message) => ({ ...message })));
}

function plainText(content: ChatMessage["content"]): string {
  if (typeof content === "string") return content;
  return content.map((part) => (part.type === "text" ? part.text : "")).join("");
}

/** Loads the state for the turn, frozen. */
async function openState(run: RunContext): Promise<void> {
  const { input, services } = run;
  const { runId, chatId, branchId, userMessageId, profile } = input;
  if (profile?.enabled !== true) return;
  const at = { chatId, branchId, session: sessionOf(profile), before: userMessageId };
  const kept = await services.chat.keptState(at);
  run.kept = { runId, session: at.session, heads: kept.heads };
  run.artifacts = toArtifactMap(foldState(kept).map(deepFreeze));
  run.persisted = run.artifacts;
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

/** Renews the lease at intervals, and detects aborts from other processes. */
function keepLease(run: RunContext, timers: Timers, stop: RunDrive["stop"]): void {
  const { runs, clock, limits } = run.services;
  const renew = async (): Promise<void> => {
    try {
      const renewal = await runs.renewLease(run.lease, {
        ttlMs: limits.leaseMs,
        nowMs: clock.now(),
      });
      if (renewal.status === "lost") {
        run.giveUp(undefined);
        return;
      }
      run.lease = renewal.lease;
      if (renewal.abort !== undefined) stop("user_abort", renewal.abort.reason);
    } catch {
      // The next renewal may succeed. Until then the fencing token rejects writes of other workers.
    }
    schedule();
  };
  const schedule = (): void => {
    if (run.state.stage !== "finished") timers.set(limits.renewMs, () => void renew());
  };
  schedule();
}

function onStop(
  run: RunContext,
  timers: Timers,
  { cause }: Extract<RunCommand, { type: "signal_abort" }>,
): void {
  run.isStopping = true;
  stopHandlers(
    run,
    cause === "deadline" ? "The run's deadline has passed." : "The run was aborted.",
  );
  timers.set(run.services.limits.graceMs, () => run.dispatch({ type: "grace_over" }));
}

function stopHandlers(run: RunContext, message: string): void {
  run.isStopping = true;
  const { signal, records } = run;
  if (!signal.aborted) run.abort(new DOMException(message, "AbortError"));
  for (const record of records) record.attempt?.timer?.abort(signal.reason);
  for (const record of records) record.cancelWait?.();
}

async function finish(
  run: RunContext,
  of: {
    executor: CommandExecutor;
    command: Extract<RunCommand, { type: "finish" }>;
    abandoned: Promise<void>;
  },
): Promise<RunResult | undefined> {
  const { executor, command, abandoned } = of;
  await Promise.race([executor.saved(), abandoned]);
  const { input } = run;
  const end = withReason(run, command);
  const result = Object.freeze(buildResult(run, end));
  const { status, failedType, failedDetails, finishReason } = end;
  run.emit({ type: "run.phase_changed", phase: "finished" });
  run.emit({
    type: "run.finished",
    status,
    failedType: failedType || undefined,
    failedDetails,
    finishReason: finishReason || undefined,
    result,
  });
  run.writer.finish(result);
  if (await run.writer.flushed()) return result;
  // Frees the lease, so that the next start on the branch can resume the run immediately.
  const { runs } = run.services;
  const { stop } = run.state;
  if (stop === "user_abort") runs.requestAbort(input.runId, {}).catch(() => {});
  await Promise.race([runs.releaseLease(run.lease).catch(() => {}), abandoned]);
  return stop === undefined ? unstored(result) : stopped(result, stop);
}

function stopped(result: RunResult, finishReason: StopCause): RunResult {
  return {
    ...result,
    status: "aborted",
    finishReason,
    failedType: undefined,
    failedDetails: undefined,
  };
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

function storeFailure(error: unknown): { errorCode: OperationErrorCode; errorMessage: string } {
  const message = messageOf(error);
  const code = OperationsError.isInstance(error) ? error.code : undefined;
  if (code === "unknown_turn")
    return { errorCode: "validation_error", errorMessage: safeText(message, 512) };
  if (code === "idempotency_conflict")
    return { errorCode: code, errorMessage: safeText(message, 512) };
  return { errorCode: "internal_error", errorMessage: safeText(`A store failed: ${message}`, 512) };
}
