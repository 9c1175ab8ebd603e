import type { AnswerWait, OperationContext } from "../operation/operation-context.ts";
import { awaitAnswer } from "./await-answer.ts";
import { createOperationView } from "./operation-view.ts";
import type { Attempt } from "./run-context.ts";

/** Creates what a handler sees. It is frozen, and contains nothing of operations that it does not depend on. */
export function createContext(
  attempt: Attempt,
  onRetry: OperationContext["onRetry"],
): OperationContext {
  const { run, record, number, timer } = attempt;
  const { runId, trigger, chatId, branchId, userMessageId, deadlineMs } = run.input;
  const { hook, definition, config } = record.operation;
  const view = createOperationView(run, record);
  const shared = {
    runId,
    attempt: number,
    trigger,
    chatId,
    branchId,
    userMessageId,
    definition,
    config,
    chatHistory: record.isStale ? view.chatHistory() : run.history,
    artifacts: record.isStale ? view.artifacts() : run.artifacts,
    vars: run.turn.vars,
    policy: run.services.policies[hook],
    signal: timer === undefined ? run.signal : timer.signal,
    startedAtMs: run.input.startedAt,
    answer: (wait: AnswerWait) => awaitAnswer(attempt, wait),
    deadlineAt: deadlineMs,
    onRetry,
  };
  if (hook === "after_main_llm") {
    const main = view.main();
    return Object.freeze({ ...shared, hook, assistantVariantId: main.assistantVariantId, main });
  }
  return Object.freeze({
    ...shared,
    hook,
    /** Assembled on the first read, since few operations read it. */
    get draftPrompt() {
      return view.draftPrompt();
    },
  });
}
