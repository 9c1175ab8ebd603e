import { continueTrace, traced, type TraceSpan } from "@ccl/core/tracing";
import { deepFreeze } from "@ccl/core/json";
import type { ChatMessage } from "@ccl/core";

import { replaySteps, takeStep } from "./apply-step.ts";
import { createEventEmitter, knownEvents, type KnownEvents } from "./event-emitter.ts";
import { OperationsError } from "../operations-error.ts";
import { mergeTurns } from "../operation/turn-settings.ts";
import { foldState, sessionOf } from "../ports/chat-state.ts";
import { unknownTurn } from "../ports/conversation-store.ts";
import type { RunStep } from "../ports/run-store.ts";
import type { EngineServices } from "./engine-options.ts";
import { executeCommand, stopHandlers } from "./execute-commands.ts";
import { messageOf } from "../operation/message-of.ts";
import { deferred, type DrivenRun, type RunDrive } from "./live-run.ts";
import type { PlannedOperation } from "./plan-run.ts";
import { initialRunState, reduceRun, type RunTransition, type StopCause } from "./reduce-run.ts";
import { openRunWriter } from "./run-journal.ts";
import { type OperationRecord, releaseRecord } from "./operation-record.ts";
import type { RunContext, RunTimers } from "./run-context.ts";
import type { FailedDetails, RunResult } from "../events/run-event.ts";

import { safeText } from "./safe-text.ts";
import type { OperationErrorCode } from "../operation/operation-definition.ts";

/** Executes a run to the end. */
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
  const { services, input, plan, feed, former } = driven;
  const known = knownEvents(former?.events ?? []);
  const result = deferred<RunResult | undefined>();
  const timers = createTimers(services);
  const writer = openRunWriter(services.runs, {
    runId: input.runId,
    fencingToken: driven.lease.fencingToken,
    onStored: (events) => feed.publish(events),
    onLost: (error) => run.giveUp(error),
  });
  const controller = new AbortController();
  const records = plan.operations.map((operation, index): OperationRecord => ({
    operation,
    handler: driven.handlers[index],
    attempts: 0,
    isStale: false,
    isCommitted: true,
    hasSlot: false,
    ...known.attempts.get(keyOf(operation)),
  }));
  const run: RunContext = {
    span,
    services,
    input,
    plan,
    lease: driven.lease,
    writer,
    timers,
    records,
    recordsByKey: new Map(records.map((record) => [keyOf(record.operation), record])),
    state: initialRunState(plan),
    signal: controller.signal,
    abort: (reason) => controller.abort(reason),
    dispatch: createDispatcher((transition) => {
      if (run.isOver) return;
      for (const command of reduceRun(run.state, transition)) executeCommand(run, command);
    }),
    giveUp(error) {
      if (run.isOver) return;
      const isLost =
        error === undefined || (OperationsError.isInstance(error) && error.code === "stale_lease");
      if (isLost) run.settle(undefined);
      else run.dispatch({ type: "engine_failed", details: storeFailure(error) });
    },
    settle(value) {
      run.isOver = true;
      timers.clear();
      writer.close();
      span.set({ "ccl.run.status": value?.status });
      if (value === undefined) stopHandlers(run, "The run continues in another worker.");
      for (const record of run.records) releaseRecord(record, services.limiter);
      result.resolve(value);
    },
    emit: createEventEmitter({ input, clock: services.clock, known, writer }),
    history: [],
    turnPosition: 1,
    artifacts: {},
    persisted: {},
    commitLog: [],
    main: { executed: false },
    mainAttempts: known.mainAttempts,
    turn: mergeTurns(services.turn, input.profile?.turn, input.turn),
    turnMessages: [],
    abandoned: deferred(),
    isLoaded: false,
    isStopping: false,
    isOver: false,
  };
  keepLease(run);
  load(run, driven, known);
  return { result: result.promise, stop: (cause, reason) => stop(run, cause, reason) };
}

const keyOf = ({ hook, operationId }: PlannedOperation): string => `${hook}/${operationId}`;

/** Stops a run once it is loaded. Before that, it is unknown how its operations ended. */
function stop(run: RunContext, cause: StopCause, reason?: string): void {
  const { state, timers, services } = run;
  if (run.isOver || state.stop !== undefined) return;
  if (run.asked === undefined) timers.set(2 * services.limits.graceMs, () => abandonWork(run));
  run.asked ??= { cause, reason };
  if (!run.isLoaded || state.stage === "commit_after" || state.stage === "finished") return;
  const next = takeStep(run, { kind: "stop", cause, reason });
  if (next !== undefined) run.dispatch(next);
}

/** Stops a run that was asked to stop during loading. */
function onLoaded(run: RunContext): void {
  run.isLoaded = true;
  if (run.asked !== undefined) stop(run, run.asked.cause, run.asked.reason);
}

/** Abandons handlers that are still running after the grace period, and stores after another such period. */
function abandonWork(run: RunContext): void {
  if (run.isOver) return;
  run.writer.close();
  run.abandoned.resolve();
  onLoaded(run);
  const errorMessage = "A store has not answered since the run was stopped.";
  run.dispatch({ type: "engine_failed", details: { errorCode: "internal_error", errorMessage } });
}

/** Executes transitions one after another. Queues those that arrive in the meantime. */
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

/**
 * Loads the run and continues it from its steps. Announces it once loading has ended, so that its first events are
 * stored together with those that follow.
 */
function load(run: RunContext, { former, abort }: DrivenRun, known: KnownEvents): void {
  const { deadlineMs } = run.input;
  const { clock } = run.services;
  if (deadlineMs !== undefined)
    run.timers.set(deadlineMs - clock.now(), () => stop(run, "deadline"));
  const begin = (): void => {
    announceStart(run);
    if (run.isOver) return;
    const commands = former === undefined ? [] : replaySteps(run, former.steps);
    if (former !== undefined && abort === undefined && hasKilledWorkers(former.steps, known)) {
      const isMainBegun = known.mainAttempts > 0;
      run.dispatch({ type: "engine_failed", details: workerLost, isMainBegun });
      return;
    }
    for (const command of commands) executeCommand(run, command);
    if (abort !== undefined) stop(run, "user_abort", abort.reason);
    if (deadlineMs !== undefined && deadlineMs <= clock.now()) stop(run, "deadline");
    onLoaded(run);
    if (former === undefined) run.dispatch({ type: "begin" });
  };
  const fail = (error: unknown): void => {
    announceStart(run);
    run.giveUp(error);
  };
  const takeOvers = former?.steps.filter(isTakeOver).length;
  Promise.all([
    loadHistory(run, known.lastSeq === 0),
    openState(run),
    takeOvers !== undefined && countTakeOver(run, takeOvers + 1),
  ]).then(begin, fail);
}

/** Counts a takeover. Stored before any work, so that it counts even if the run kills its worker immediately. */
async function countTakeOver({ writer }: RunContext, number: number): Promise<void> {
  writer.step({ kind: "take_over", number });
  await writer.flushed();
}

const isTakeOver = ({ kind }: RunStep): boolean => kind === "take_over";

/** True if too many workers in a row completed nothing. A run that waits for an answer has nothing to complete. */
function hasKilledWorkers(steps: readonly RunStep[], { keys }: KnownEvents): boolean {
  const isWaiting = [...keys].some(
    (key) =>
      key.startsWith("operation.waiting/") &&
      !keys.has(key.replace("operation.waiting/", "operation.finished/")),
  );
  return !isWaiting && steps.length >= maxTakeOvers && steps.slice(-maxTakeOvers).every(isTakeOver);
}

/** How many workers in a row may resume a run without completing anything before it fails. */
const maxTakeOvers = 10;
const workerLost: FailedDetails = {
  errorCode: "worker_lost",
  errorMessage: `The run has made no progress in ${maxTakeOvers} workers in a row; it probably ends their processes.`,
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
  const turn = await chat.loadTurn({ ...at, maxTurns });
  if (turn === undefined) throw unknownTurn(userMessageId);
  // If the run was started before, the turn may have another variant by now.
  const said = isNew && userMessage !== undefined ? turn.history.at(-1)?.content : undefined;
  if (
    said !== undefined &&
    userMessage !== undefined &&
    plainText(said) !== plainText(userMessage)
  ) {
    const message = `The branch has a user message ${JSON.stringify(userMessageId)} with a different text; use a new id, or leave userMessage out.`;
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
  const artifacts = foldState(kept).map((artifact) => [artifact.tag, artifact] as const);
  run.artifacts = deepFreeze(Object.fromEntries(artifacts));
  run.persisted = run.artifacts;
}

function createTimers({ clock }: EngineServices): RunTimers {
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

/** Renews the lease periodically, and detects aborts from other processes. */
function keepLease(run: RunContext): void {
  const { runs, clock, limits, renewMs } = run.services;
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
      if (renewal.abort !== undefined) stop(run, "user_abort", renewal.abort.reason);
    } catch {
      // The next renewal may succeed. Until then, the fencing token rejects writes by other workers.
    }
    schedule();
  };
  const schedule = (): void => {
    if (run.state.stage !== "finished") run.timers.set(renewMs, () => void renew());
  };
  schedule();
}

function storeFailure(error: unknown): { errorCode: OperationErrorCode; errorMessage: string } {
  const message = messageOf(error);
  const code = OperationsError.isInstance(error) ? error.code : undefined;
  const errorMessage = safeText(message, 512);
  if (code === "unknown_turn") return { errorCode: "validation_error", errorMessage };
  if (code === "idempotency_conflict") return { errorCode: code, errorMessage };
  return { errorCode: "internal_error", errorMessage: safeText(`A store failed: ${message}`, 512) };
}
