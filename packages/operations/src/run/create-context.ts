import type { ChatMessage } from "@ccl/core";
import { onAbort } from "@ccl/core/async";
import { deepFreeze } from "@ccl/core/json";

import { allowedEffects } from "../operation/allowed-effects.ts";
import type {
  AnswerWait,
  MainResult,
  OperationContext,
} from "../operation/operation-definition.ts";
import { effectVariantId } from "../ports/chat-store.ts";
import { pause } from "../ports/run-clock.ts";
import type { RunStep } from "../ports/run-store.ts";
import { maxSummaryChars } from "./bound-summary.ts";
import { artifactsAfter, assembleAfter, requirePrompt, withUserVariant } from "./fitted-prompt.ts";
import { effectsOf, type OperationRecord } from "./operation-record.ts";
import { type ArtifactMap, recordOf, type RunContext } from "./run-context.ts";
import { safeText } from "./safe-text.ts";

/**
 * Creates the context passed to a handler. It is frozen, and contains nothing from operations that it does not depend
 * on.
 */
export function createContext(
  run: RunContext,
  record: OperationRecord,
  onRetry?: OperationContext["onRetry"],
): OperationContext {
  const { runId, trigger, chatId, branchId, userMessageId, startedAt, deadlineMs } = run.input;
  const { hook, definition, config } = record.operation;
  const records = record.isStale ? ancestorsOf(run, record) : [];
  const artifacts = record.isStale ? artifactsAfter(run, records) : run.artifacts;
  const shared: OperationContext & LazyDraft = {
    runId,
    attempt: record.attempts,
    trigger,
    hook,
    chatId,
    branchId,
    userMessageId,
    definition,
    config,
    chatHistory: Object.freeze(
      withUserVariant(run.history, userMessageId, records.flatMap(effectsOf)),
    ),
    artifacts,
    vars: run.turn.vars,
    policy: Object.freeze({ allowedEffects: allowedEffects[hook], maxSummaryChars }),
    signal: run.signal,
    startedAtMs: startedAt,
    answer: (wait: AnswerWait) => awaitAnswer(run, record, wait),
    deadlineAt: deadlineMs,
    onRetry,
  };
  if (hook === "after_main_llm") {
    const main = mainAfter(run, records);
    return Object.freeze({ assistantVariantId: main.assistantVariantId, main, ...shared });
  }
  let draft: readonly ChatMessage[] | undefined;
  shared[assembled] = () => (draft ??= draftAfter(run, records, artifacts));
  return Object.freeze(Object.defineProperty(shared, "draftPrompt", draftPrompt));
}

const assembled = Symbol("assembled draft");
interface LazyDraft {
  [assembled]?: () => readonly ChatMessage[];
}

/**
 * Assembles the draft on first access, since few operations read it. All contexts share the getter: an object literal
 * with its own getter takes five times as long.
 */
const draftPrompt: PropertyDescriptor & ThisType<LazyDraft> = {
  get() {
    return this[assembled]?.();
  },
  enumerable: true,
};

/** Returns the done operations that an operation depends on, directly or indirectly, in commit order. */
function ancestorsOf(run: RunContext, { operation }: OperationRecord): OperationRecord[] {
  const found = new Set(operation.dependencies);
  for (const index of found)
    for (const dependency of recordOf(run, index).operation.dependencies) found.add(dependency);
  const indexes = [...found].sort((left, right) => left - right);
  return indexes.map((index) => recordOf(run, index)).filter(({ end }) => end?.status === "done");
}

/** Returns the answer after these operations' turn effects, as the chat store will apply them. */
function mainAfter(run: RunContext, records: readonly OperationRecord[]): MainResult {
  const { text = "", finishReason = "unknown", partial, steps } = run.main;
  const { toolCalls, reasoning } = steps?.at(-1) ?? {};
  const { assistantVariantId } = run.input;
  let main: MainResult = { assistantVariantId, text, finishReason, partial, toolCalls, reasoning };
  for (const record of records) {
    const { operationId, hook } = record.operation;
    for (const [index, effect] of effectsOf(record).entries()) {
      if (effect.type === "turn.assistant_blocks") main = { ...main, blocks: effect.blocks };
      if (effect.type === "turn.assistant_meta")
        main = { ...main, meta: { ...main.meta, ...effect.meta } };
      if (effect.type !== "turn.assistant_variant" || effect.select !== true) continue;

      const { runId } = run.input;
      const variantId = effectVariantId({ runId, hook }, operationId, index);
      const { content, meta } = effect;
      main = { ...main, assistantVariantId: variantId, text: content, blocks: undefined, meta };
    }
  }
  const { blocks = [{ type: "text", text: main.text }], meta = {} } = main;
  return deepFreeze({ ...main, blocks, meta });
}

/** Returns the prompt after these operations, frozen. */
function draftAfter(
  run: RunContext,
  records: readonly OperationRecord[],
  artifacts: ArtifactMap,
): readonly ChatMessage[] {
  const { messages } = requirePrompt(assembleAfter(run, { records, artifacts }));
  for (const message of messages) Object.freeze(message);
  return Object.freeze(messages);
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
