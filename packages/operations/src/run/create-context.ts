import { onAbort } from "@ccl/core/async";

import { allowedEffects } from "../operation/allowed-effects.ts";
import type { AnswerWait, OperationContext } from "../operation/operation-context.ts";
import { pause } from "../ports/run-clock.ts";
import type { RunStep } from "../ports/run-step.ts";
import { maxSummaryChars } from "./bound-summary.ts";
import { createOperationView } from "./operation-view.ts";
import type { OperationRecord } from "./operation-record.ts";
import type { RunContext } from "./run-context.ts";
import { safeText } from "./safe-text.ts";

/**
 * Creates the context passed to a handler. It is frozen, and contains nothing from operations that it does not depend
 * on.
 */
export function createContext(
  run: RunContext,
  record: OperationRecord,
  onRetry: OperationContext["onRetry"],
): OperationContext {
  const { runId, trigger, chatId, branchId, userMessageId, deadlineMs } = run.input;
  const { hook, definition, config } = record.operation;
  const view = createOperationView(run, record);
  const shared = {
    runId,
    attempt: record.attempts,
    trigger,
    chatId,
    branchId,
    userMessageId,
    definition,
    config,
    chatHistory: record.isStale ? view.chatHistory() : run.history,
    artifacts: record.isStale ? view.artifacts() : run.artifacts,
    vars: run.turn.vars,
    policy: Object.freeze({ allowedEffects: allowedEffects[hook], maxSummaryChars }),
    signal: run.signal,
    startedAtMs: run.input.startedAt,
    answer: (wait: AnswerWait) => awaitAnswer(run, record, wait),
    deadlineAt: deadlineMs,
    onRetry,
  };
  if (hook === "after_main_llm") {
    const main = view.main();
    return Object.freeze({ hook, assistantVariantId: main.assistantVariantId, main, ...shared });
  }
  return Object.freeze({
    hook,
    /** Assembled on first access, since few operations read it. */
    get draftPrompt() {
      return view.draftPrompt();
    },
    ...shared,
  });
}

/**
 * Returns the value from `engine.answer`, or undefined after the timeout. The answer is in the journal and the question
 * in an event, so both survive the worker. The operation releases its slot while it waits.
 */
async function awaitAnswer(
  run: RunContext,
  record: OperationRecord,
  { question, untilMs }: AnswerWait,
): Promise<{ value: unknown } | undefined> {
  const { services, input, signal } = run;
  const { runs, clock, limiter, limits } = services;
  const { operationId, hook, definition } = record.operation;
  const shown = question === undefined ? undefined : safeText(question, 4_096);
  const named = { operationId, operationName: definition.name, hook };
  run.emit({ type: "operation.waiting", ...named, question: shown, untilMs });
  if (record.hasSlot) limiter.release();
  record.hasSlot = false;
  const isOurs = (step: RunStep): boolean =>
    step.kind === "answer" && step.operationId === operationId && step.hook === hook;
  for (let idle = 0; ; idle += 1) {
    signal.throwIfAborted();
    const found = (await runs.loadRun(input.runId))?.steps.find(isOurs);
    if (found?.kind === "answer") return { value: found.value };
    const nowMs = clock.now();
    if (untilMs !== undefined && untilMs <= nowMs) return undefined;
    const delayMs = Math.min(limits.pollMs * 2 ** Math.min(4, idle), (untilMs ?? Infinity) - nowMs);
    await pause(clock, delayMs, (wake) => {
      const forget = onAbort(signal, wake);
      services.waiting.add(wake);
      return () => {
        forget();
        services.waiting.delete(wake);
      };
    });
  }
}
