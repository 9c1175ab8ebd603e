import type { Hook } from "../operation/operation-definition.ts";
import type { MainStep } from "../ports/run-step.ts";
import { callMain, type MainCall } from "./call-main.ts";
import { adoptCommit, commitHook } from "./commit-hook.ts";
import type { PlannedOperation } from "./plan-run.ts";
import { recordEnd, startOperation } from "./run-operation.ts";
import type { RunDesk } from "./run-desk.ts";
import type { CommitLogEntry, FailedDetails, MainLlmRun } from "./run-result.ts";
import type { RunCommand } from "./run-state.ts";

/** Does what the reducer asks for. */
export interface CommandExecutor {
  execute(command: RunCommand): void;
  /** Resolves once an answer that is being kept has been kept; undefined where none is. */
  saved(): Promise<void> | undefined;
}

/** What the executor leaves to the one who drives the run. */
export interface CommandHooks {
  /** Calls of the main model that were begun before a crash. */
  mainAttempts: number;
  onStop(command: Extract<RunCommand, { type: "signal_abort" }>): void;
  onFinish(command: Extract<RunCommand, { type: "finish" }>): void;
}

/** The executor of one run. */
export function createCommandExecutor(desk: RunDesk, hooks: CommandHooks): CommandExecutor {
  let call: MainCall | undefined;
  let isSaving = false;
  let saving: Promise<void> | undefined;
  let attempts = hooks.mainAttempts;
  const startMain = (): void => {
    attempts += 1;
    const started = callMain(desk, attempts);
    call = started;
    void started.ended.then((step) => {
      if (call !== started) return;
      isSaving = true;
      saving = endMain(desk, step).then((isKept) => {
        isSaving = false;
        if (isKept) desk.dispatch(mainFinished(step));
      });
    });
  };
  const detachMain = (): void => {
    const left = call;
    call = undefined;
    // An answer that is whole and on its way to the chat is waited for.
    if (left !== undefined && !isSaving)
      saving = endMain(desk, left.detach()).then(() => undefined);
  };
  return {
    saved: () => saving,
    execute(command) {
      switch (command.type) {
        case "enter_phase": {
          const { phase, hook } = command;
          desk.emit({ type: "run.phase_changed", phase, hook: hook || undefined });
          return;
        }
        case "start_operation":
          startOperation(desk, command.index);
          return;
        case "end_operation":
          desk.records[command.index]?.cancelWait?.();
          recordEnd(desk, command);
          return;
        case "commit":
          commit(desk, command.hook);
          return;
        case "start_main":
          startMain();
          return;
        case "detach_main":
          detachMain();
          return;
        case "signal_abort":
          hooks.onStop(command);
          return;
        case "finish":
          hooks.onFinish(command);
      }
    },
  };
}

function mainFinished({ status, error }: MainStep): Parameters<RunDesk["dispatch"]>[0] {
  return {
    type: "main_finished",
    status,
    errorCode: error ? error.code : undefined,
    errorMessage: error ? error.message : undefined,
  };
}

function commit(desk: RunDesk, hook: Hook): void {
  const hasOwn = ({ index, hook: at }: PlannedOperation): boolean =>
    at === hook && (desk.records[index]?.effects.length ?? 0) > 0;
  if (desk.hasEffects && desk.plan.operations.some(hasOwn)) void commitEffects(desk, hook);
  else desk.dispatch({ type: "commit_finished", hook });
}

async function commitEffects(desk: RunDesk, hook: Hook): Promise<void> {
  // Results come before what follows from them, so that no crash can make them another.
  if (!(await desk.writer.flushed())) return;
  let entries: CommitLogEntry[];
  try {
    entries = await commitHook(desk, hook);
  } catch (error) {
    desk.giveUp(error);
    return;
  }
  desk.writer.step({ kind: "commit", hook, entries });
  adoptCommit(desk, hook, entries);
  const failure = commitFailure(desk, hook, entries);
  desk.dispatch({ type: "commit_finished", hook, failure });
}

/** The first required operation whose effects could not be committed. */
export function commitFailure(
  desk: RunDesk,
  hook: Hook,
  entries: readonly CommitLogEntry[],
): FailedDetails | undefined {
  const failed = new Map(
    entries.flatMap((entry) =>
      entry.commitStatus === "error" ? [[entry.operationId, entry]] : [],
    ),
  );
  if (failed.size === 0) return undefined;
  for (const { operationId, hook: at, config } of desk.plan.operations) {
    const entry = at === hook && config.required ? failed.get(operationId) : undefined;
    if (entry === undefined) continue;
    const { errorCode, errorMessage } = entry;
    return {
      operationId,
      errorCode: errorCode || undefined,
      errorMessage: errorMessage || undefined,
    };
  }
  return undefined;
}

/** Keeps the answer as a variant of the turn, and announces it. False where the worker had to give up. */
async function endMain(desk: RunDesk, step: MainStep): Promise<boolean> {
  const { status, text, partial, toolCalls, usage } = step;
  if (status === "done" || partial) {
    const { runId, chatId, branchId, userMessageId, assistantVariantId } = desk.input;
    const { fencingToken } = desk.lease;
    const extras = { toolCalls, usage };
    const ids = { runId, chatId, branchId, userMessageId, assistantVariantId };
    try {
      await desk.services.chat.saveAssistantVariant({
        text,
        partial,
        fencingToken,
        ...ids,
        ...extras,
      });
    } catch (error) {
      desk.giveUp(error);
      return false;
    }
  }
  desk.main = mainRun(desk, step);
  desk.writer.step(step);
  const { finishReason, error } = step;
  const { assistantVariantId } = desk.input;
  const shown = { status, finishReason, partial: partial || undefined, error };
  desk.emit({ type: "main_llm.finished", assistantVariantId, ...shown });
  // Nothing may follow from an answer that a crash could still make another; the run's end is stored with it or after it.
  const { operations, beforeCount } = desk.plan;
  return operations.length === beforeCount || desk.writer.flushed();
}

/** What the result says of the main call. */
export function mainRun(desk: RunDesk, step: MainStep): MainLlmRun {
  const { executed, status, finishReason, partial, text, usage } = step;
  const { assistantVariantId } = desk.input;
  const isKept = status === "done" || partial;
  return {
    executed,
    status,
    finishReason,
    assistantVariantId: isKept ? assistantVariantId : undefined,
    text: isKept ? text : undefined,
    partial: partial || undefined,
    usage,
  };
}
