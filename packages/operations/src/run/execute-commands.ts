import type { Hook } from "../operation/operation-definition.ts";
import type { MainStep } from "../ports/run-step.ts";
import { callMain, type MainCall } from "./call-main.ts";
import { mainRun } from "./build-result.ts";
import { adoptCommit, commitFailure, commitHook } from "./commit-hook.ts";
import type { PlannedOperation } from "./plan-run.ts";
import { recordEnd, startOperation } from "./run-operation.ts";
import { type RunContext, turnMessagesOf } from "./run-context.ts";
import type { CommitLogEntry } from "../events/run-result.ts";
import type { RunCommand } from "./run-state.ts";

/** Executes the commands of the reducer. */
export interface CommandExecutor {
  execute(command: RunCommand): void;
  /** Resolves once the answer that is being saved is stored. Undefined if none is. */
  saved(): Promise<void> | undefined;
}

/** What the executor needs of the code that drives the run. */
export interface CommandHooks {
  /** How many calls of the main model were started before a crash. */
  mainAttempts: number;
  onStop(command: Extract<RunCommand, { type: "signal_abort" }>): void;
  onFinish(command: Extract<RunCommand, { type: "finish" }>): void;
}

/** Creates the executor of one run. */
export function createCommandExecutor(run: RunContext, hooks: CommandHooks): CommandExecutor {
  let call: MainCall | undefined;
  let isSaving = false;
  let saving: Promise<void> | undefined;
  let attempts = hooks.mainAttempts;
  const startMain = (): void => {
    attempts += 1;
    const started = callMain(run, attempts);
    call = started;
    void started.ended.then((step) => {
      if (call !== started) return;
      isSaving = true;
      saving = endMain(run, step).then((isKept) => {
        isSaving = false;
        const { status, error } = step;
        if (isKept) run.dispatch({ type: "main_finished", status, error });
      });
    });
  };
  const detachMain = (): void => {
    const left = call;
    call = undefined;
    // If a complete answer is already being saved, the run waits for it.
    if (left !== undefined && !isSaving) saving = endMain(run, left.detach()).then(() => undefined);
  };
  return {
    saved: () => saving,
    execute(command) {
      switch (command.type) {
        case "enter_phase": {
          const { phase, hook } = command;
          run.emit({ type: "run.phase_changed", phase, hook: hook || undefined });
          return;
        }
        case "start_operation":
          startOperation(run, command.index);
          return;
        case "end_operation":
          run.records[command.index]?.cancelWait?.();
          recordEnd(run, command);
          return;
        case "commit":
          commit(run, command.hook);
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

function commit(run: RunContext, hook: Hook): void {
  const hasOwn = ({ index, hook: at }: PlannedOperation): boolean =>
    at === hook && (run.records[index]?.effects.length ?? 0) > 0;
  if (run.hasEffects && run.plan.operations.some(hasOwn)) void commitEffects(run, hook);
  else run.dispatch({ type: "commit_finished", hook });
}

async function commitEffects(run: RunContext, hook: Hook): Promise<void> {
  const { writer, services } = run;
  // Results are stored before their consequences or with them, so that no crash can change them.
  if (!services.keepsChat && !(await writer.flushed())) return;
  let entries: CommitLogEntry[] | undefined;
  try {
    entries = await commitHook(run, hook);
  } catch (error) {
    run.giveUp(error);
    return;
  }
  if (entries === undefined || !(await writer.flushed())) return;
  run.writer.step({ kind: "commit", hook, entries });
  for (const change of adoptCommit(run, hook, entries)) run.emit(change);
  const failure = commitFailure(run, hook, entries);
  run.dispatch({ type: "commit_finished", hook, failure });
}

/** Stores the answer as a variant of the turn, and announces it. False if the worker had to give up. */
async function endMain(run: RunContext, step: MainStep): Promise<boolean> {
  const { status, text, partial, usage } = step;
  if (status === "done" || partial) {
    const { runId, chatId, branchId, userMessageId, assistantVariantId } = run.input;
    const { fencingToken } = run.lease;
    const { toolCalls, reasoning } = step.steps?.at(-1) ?? {};
    const before = turnMessagesOf(run);
    const messages = before.length > 0 ? before : undefined;
    const extras = { toolCalls, messages, reasoning, usage, state: run.kept };
    const ids = { runId, chatId, branchId, userMessageId, assistantVariantId };
    const answer = { text, partial, fencingToken, ...ids, ...extras };
    const { chat, keepsChat } = run.services;
    try {
      if (keepsChat) run.writer.answer(answer);
      else await chat.saveAssistantVariant(answer);
    } catch (error) {
      run.giveUp(error);
      return false;
    }
  }
  run.main = mainRun(run, step);
  run.writer.step(step);
  const { finishReason, error } = step;
  const { assistantVariantId } = run.input;
  const shown = { status, finishReason, partial: partial || undefined, error };
  run.emit({ type: "main_llm.finished", assistantVariantId, ...shown });
  // Nothing may depend on an answer that a crash could still change. The run's end is stored with it or after it.
  const { operations, beforeCount } = run.plan;
  return operations.length === beforeCount || run.writer.flushed();
}
