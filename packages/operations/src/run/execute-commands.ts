import type { Hook } from "../operation/operation-definition.ts";
import type { MainStep } from "../ports/run-store.ts";
import { callMain } from "./call-main.ts";
import { applyStep, takeStep } from "./apply-step.ts";
import { buildResult, withReason } from "./build-result.ts";
import { commitHook } from "./commit-hook.ts";
import { recordEnd, startOperation } from "./run-operation.ts";
import { recordOf, type RunContext, turnMessagesOf } from "./run-context.ts";
import type { RunResult } from "../events/run-event.ts";
import type { FinishCommand, RunCommand, RunTransition, StopCause } from "./reduce-run.ts";

/** Executes a reducer command. */
export function executeCommand(run: RunContext, command: RunCommand): void {
  switch (command.type) {
    case "enter_phase":
      run.emit({ ...command, type: "run.phase_changed" });
      return;
    case "start_operation":
      startOperation(run, recordOf(run, command.index));
      return;
    case "end_operation":
      recordEnd(run, recordOf(run, command.index), command);
      return;
    case "commit":
      commit(run, command.hook);
      return;
    case "start_main":
      startMain(run);
      return;
    case "detach_main": {
      // If a complete answer is already being saved, the run waits until it is stored.
      const step = run.mainCall?.detach();
      run.mainCall = undefined;
      if (step !== undefined) run.saving = endMain(run, step).then(() => undefined);
      return;
    }
    case "signal_abort":
      onStop(run, command);
      return;
    case "finish":
      void finish(run, command).then(run.settle);
  }
}

function startMain(run: RunContext): void {
  run.mainAttempts += 1;
  const call = callMain(run, run.mainAttempts);
  run.mainCall = call;
  void call.ended.then((step) => {
    if (run.mainCall !== call) return;
    run.mainCall = undefined;
    run.saving = endMain(run, step).then((next) => next && run.dispatch(next));
  });
}

function commit(run: RunContext, hook: Hook): void {
  const hasEffects = run.records.some(
    ({ operation, end }) => operation.hook === hook && end?.effects !== undefined,
  );
  if (hasEffects) void commitEffects(run, hook);
  else run.dispatch({ type: "commit_finished", hook });
}

async function commitEffects(run: RunContext, hook: Hook): Promise<void> {
  try {
    const entries = await commitHook(run, hook);
    const step = { kind: "commit", hook, entries } as const;
    // Stored together with the commit, so that it cannot be repeated after a crash.
    run.writer.step(step);
    const next = (await run.writer.flushed()) ? applyStep(run, step) : undefined;
    if (next !== undefined) run.dispatch(next);
  } catch (error) {
    run.giveUp(error);
  }
}

/** Stores the answer as a variant of the turn. Returns undefined if the worker had to give up. */
async function endMain(run: RunContext, step: MainStep): Promise<RunTransition | undefined> {
  const { status, text, partial } = step;
  if (status === "done" || partial) {
    const { runId, chatId, branchId, userMessageId, assistantVariantId } = run.input;
    const { toolCalls, reasoning } = step.steps?.at(-1) ?? {};
    const before = turnMessagesOf(run);
    const messages = before.length > 0 ? before : undefined;
    const extras = { toolCalls, messages, reasoning, state: run.kept };
    const ids = { runId, chatId, branchId, userMessageId, assistantVariantId };
    run.writer.answer({ text, partial, ...ids, ...extras });
  }
  const next = takeStep(run, step);
  // Nothing may depend on an answer that a crash could still change. The run's end is stored with it or later.
  const { operations, beforeCount } = run.plan;
  return operations.length === beforeCount || (await run.writer.flushed()) ? next : undefined;
}

function onStop(run: RunContext, { cause }: Extract<RunCommand, { type: "signal_abort" }>): void {
  stopHandlers(
    run,
    cause === "deadline" ? "The run's deadline has passed." : "The run was aborted.",
  );
  run.timers.set(run.services.limits.graceMs, () => run.dispatch({ type: "grace_over" }));
}

/** Aborts all work in progress, so that nothing new starts. */
export function stopHandlers(run: RunContext, message: string): void {
  run.isStopping = true;
  const { signal, records } = run;
  if (!signal.aborted) run.abort(new DOMException(message, "AbortError"));
  for (const record of records) record.cancelWait?.();
}

/** Ends the run. Returns its result, or a failed one if that could not be stored. */
async function finish(run: RunContext, command: FinishCommand): Promise<RunResult> {
  run.isEnding = true;
  await Promise.race([run.saving, run.abandoned.promise]);
  const end = withReason(run, command);
  const result = Object.freeze(buildResult(run, end));
  run.emit({ type: "run.phase_changed", phase: "finished" });
  run.emit({ ...end, type: "run.finished", result });
  run.writer.finish(result);
  if (await run.writer.flushed()) return result;
  // Frees the lease, so that the next start on the branch can resume the run immediately.
  const { runs } = run.services;
  const { stop } = run.state;
  if (stop === "user_abort") runs.requestAbort(run.input.runId, {}).catch(() => {});
  await Promise.race([runs.releaseLease(run.lease).catch(() => {}), run.abandoned.promise]);
  return stop === undefined ? unstored(result) : stopped(result, stop);
}

function stopped(result: RunResult, finishReason: StopCause): RunResult {
  const noFailure = { failedType: undefined, failedDetails: undefined };
  return { ...result, status: "aborted", finishReason, ...noFailure };
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
