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

/** Drives a run to completion. */
export function driveRun(driven: DrivenRun): RunDrive {
  const { runId, chatId, trace } = driven.input;
  const attributes = { "ccl.run.id": runId, "gen_ai.conversation.id": chatId };
  // A run started from a recovery timer or a queue has no active span.
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
      else failRun(run, failureDetails(error));
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
    isEnding: false,
    isOver: false,
  };
  keepLease(run);
  load(run, driven, known);
  return { result: result.promise, stop: (cause, reason) => stop(run, cause, reason) };
}

/** Ends a run that cannot continue. A replay may have reached the end without executing it. */
function failRun(run: RunContext, details: FailedDetails): void {
  const failedType = run.main.executed ? "after_main_llm" : "before_barrier";
  if (run.state.stage !== "finished") run.dispatch({ type: "engine_failed", details });
  else if (!run.isEnding)
    executeCommand(run, { type: "finish", status: "failed", failedType, failedDetails: details });
}

const keyOf = ({ hook, operationId }: PlannedOperation): string => `${hook}/${operationId}`;

/** Stops a run, or waits until it is loaded, because the outcome of its operations is unknown before that. */
function stop(run: RunContext, cause: StopCause, reason?: string): void {
  const { state, timers, services } = run;
  if (run.isOver || state.stop !== undefined) return;
  if (run.stopRequest === undefined)
    timers.set(2 * services.limits.graceMs, () => abandonWork(run));
  run.stopRequest ??= { cause, reason };
  if (!run.isLoaded || state.stage === "commit_after" || state.stage === "finished") return;
  const next = takeStep(run, { kind: "stop", cause, reason });
  if (next !== undefined) run.dispatch(next);
}

/** Applies a stop that was requested while the run was loading. */
function onLoaded(run: RunContext): void {
  run.isLoaded = true;
  if (run.stopRequest !== undefined) stop(run, run.stopRequest.cause, run.stopRequest.reason);
}

/** Called two grace periods after a stop. Gives up on stores that have not answered, and ends the run. */
function abandonWork(run: RunContext): void {
  if (run.isOver) return;
  run.writer.close();
  run.abandoned.resolve();
  onLoaded(run);
  const errorMessage = "A store did not respond after the run was stopped.";
  run.dispatch({ type: "engine_failed", details: { errorCode: "internal_error", errorMessage } });
}

/** Executes transitions one at a time. Queues any that arrive meanwhile. */
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
 * Loads the run and continues it from its steps. Announces the run only after loading, so that its first events are
 * stored in the same append as those that follow.
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
    const isLost = former !== undefined && abort === undefined && run.state.stage !== "finished";
    if (isLost && isCrashLooping(former.steps, known)) {
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
  const takeovers = former?.steps.filter(isTakeover).length;
  Promise.all([
    loadHistory(run, known.lastSeq === 0),
    loadState(run),
    takeovers !== undefined && recordTakeover(run, takeovers + 1),
  ])
    .then(begin, fail)
    .catch((error: unknown) => run.giveUp(error));
}

/** Records a takeover. It is stored before any work, so that it counts even if the run crashes its worker immediately. */
async function recordTakeover({ writer }: RunContext, number: number): Promise<void> {
  writer.step({ kind: "take_over", number });
  await writer.flushed();
}

const isTakeover = ({ kind }: RunStep): boolean => kind === "take_over";

/**
 * Returns true if too many workers in a row made no progress. A run that is waiting for an answer is not expected to make
 * any.
 */
function isCrashLooping(steps: readonly RunStep[], { keys }: KnownEvents): boolean {
  const isWaiting = [...keys].some(
    (key) =>
      key.startsWith("operation.waiting/") &&
      !keys.has(key.replace("operation.waiting/", "operation.finished/")),
  );
  return !isWaiting && steps.length >= maxTakeovers && steps.slice(-maxTakeovers).every(isTakeover);
}

/** Maximum number of workers in a row that may resume a run without making progress. */
const maxTakeovers = 10;
const workerLost: FailedDetails = {
  errorCode: "worker_lost",
  errorMessage: `${maxTakeovers} workers in a row resumed the run without making progress; it probably crashes their processes.`,
};

const minTurns = 100;
const minTurnTokens = 20;

/** Loads and freezes the chat up to the turn. */
async function loadHistory(run: RunContext, isNew: boolean): Promise<void> {
  const { input, services } = run;
  const { chatId, branchId, userMessageId, userMessage } = input;
  const { prompt } = services.limits;
  // More turns than this cannot fit, even if every turn is tiny.
  const maxTurns = prompt && Math.max(minTurns, Math.ceil(prompt.budget / minTurnTokens));
  const { chat } = services;
  const at = { chatId, branchId, userMessageId };
  const turn = await chat.loadTurn({ ...at, maxTurns });
  if (turn === undefined) throw unknownTurn(userMessageId);
  // If the run was started before, the turn may have another variant by now.
  const storedMessage =
    isNew && userMessage !== undefined ? turn.history.at(-1)?.content : undefined;
  if (
    storedMessage !== undefined &&
    userMessage !== undefined &&
    plainText(storedMessage) !== plainText(userMessage)
  ) {
    const message = `The branch already has a user message ${JSON.stringify(userMessageId)} with different text; use a new id or omit userMessage.`;
    throw new OperationsError("idempotency_conflict", message);
  }
  run.turnPosition = turn.position;
  run.history = deepFreeze(turn.history.map((message) => ({ ...message })));
}

function plainText(content: ChatMessage["content"]): string {
  if (typeof content === "string") return content;
  return content.map((part) => (part.type === "text" ? part.text : "")).join("");
}

/** Loads and freezes the state for the turn. */
async function loadState(run: RunContext): Promise<void> {
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
    },
    clear() {
      for (const cancel of running) cancel();
      running.clear();
    },
  };
}

/** Renews the lease periodically and picks up aborts requested by other processes. */
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
      // The next renewal may succeed. If another worker takes over meanwhile, the fencing token makes the store reject
      // this worker's writes.
    }
    schedule();
  };
  const schedule = (): void => {
    // The run may have ended during the renewal.
    if (run.isOver || run.state.stage === "finished") return;
    run.timers.set(renewMs, () => void renew());
  };
  schedule();
}

function failureDetails(error: unknown): { errorCode: OperationErrorCode; errorMessage: string } {
  const message = messageOf(error);
  const code = OperationsError.isInstance(error) ? error.code : undefined;
  const errorMessage = safeText(message, 512);
  if (code === "unknown_turn") return { errorCode: "validation_error", errorMessage };
  if (code === "idempotency_conflict") return { errorCode: code, errorMessage };
  return { errorCode: "internal_error", errorMessage: safeText(`A store failed: ${message}`, 512) };
}
