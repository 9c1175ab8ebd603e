import { type ContextRecorder, traced } from "@ccl/core/tracing";
import { deepFreeze } from "@ccl/core/json";
import {
  type ChatMessage,
  type FinishReason,
  type LanguageModel,
  LanguageModelError,
  type ModelRequest,
  type ModelResponse,
  type ModelUsage,
  sumUsage,
  type ToolDescription,
} from "@ccl/core";
import { callListener } from "@ccl/core/events";

import { wellFormed } from "../artifact/copy-json.ts";
import { modelErrorCode } from "../kinds/operation-error.ts";
import { messageOf } from "../operation/message-of.ts";
import { OperationsError } from "../operations-error.ts";
import type { MainStep } from "../ports/run-store.ts";
import { sendableHistory } from "../prompt/sendable-history.ts";
import { takeStep } from "./apply-step.ts";
import { type Question, createQuestion } from "./ask-model.ts";
import { operationCodeOf } from "./check-outcome.ts";
import { fittedPrompt, requirePrompt, sendableAfter } from "./fitted-prompt.ts";
import { type MainCall, type RunContext, turnMessagesOf } from "./run-context.ts";
import type { MainLlmStep, RunFinishReason } from "../events/run-event.ts";
import { safeText } from "./safe-text.ts";
import { type TurnTools, openTurnTools } from "./turn-tools.ts";
import type { OperationErrorCode } from "../operation/operation-definition.ts";

const defaultMaxSteps = 8;

/**
 * Assembles the prompt and calls the main model, streaming if supported. Runs the tools that the model requests, then
 * calls it again. Messages of the turn are journaled before the next call, so no completed call is repeated after a
 * crash.
 */
export function callMain(run: RunContext, attempt: number): MainCall {
  let question: Question | undefined;
  const cutOff = (): MainStep => ({
    ...endOf(run, attempt, question),
    status: "aborted",
    finishReason: run.state.stop ?? "user_abort",
  });
  const execute = async (): Promise<MainStep> => {
    try {
      const tools = await openTurnTools(run);
      for (;;) {
        await answerCalls(run, attempt, tools);
        if (run.turnMessages.length > 0 && !(await run.writer.flushed())) return cutOff();
        if (run.isStopping) return cutOff();
        const messages = await mainPrompt(run, { attempt, tools: tools?.descriptions });
        const { record } = run.services;
        const sent = { messages, tools: tools?.descriptions };
        const reported = record && (await recordPrompt(run, record, sent));
        if (run.isStopping) return cutOff();
        announce(run, attempt);
        const asked = createQuestion(run);
        question = asked;
        const models = await modelsOf(run);
        if (run.isStopping) return cutOff();
        const { isLast, request } = requestOf(run, messages, tools);
        const response = await run.span.within(() =>
          traced("main call", { "ccl.messages": messages.length }, () =>
            asked.ask(request, models),
          ),
        );
        reported?.(response.usage);
        if (run.isStopping) return cutOff();
        const steps = asked.ended(response);
        asked.close();
        if (response.toolCalls.length === 0 || isLast) {
          const all = [...formerSteps(run), ...steps];
          return {
            ...endOf(run, attempt, asked),
            status: "done",
            finishReason: finishReasons[response.finishReason] ?? "unknown",
            text: response.text === "" ? asked.text() : wellFormed(response.text),
            partial: false,
            usage: sumUsage(all),
            steps: all,
          };
        }
        const position = run.turnMessages.length;
        const message = callingMessage(run, response, asked);
        takeStep(run, { kind: "turn_message", position, message, steps });
        question = undefined;
      }
    } catch (error) {
      if (run.isStopping) return cutOff();
      return failedStep(error, endOf(run, attempt, question));
    } finally {
      question?.close();
    }
  };
  return {
    ended: execute(),
    detach() {
      question?.close();
      return cutOff();
    },
  };
}

/** Returns the current state of the answer. */
function endOf(
  run: RunContext,
  attempt: number,
  question: Question | undefined,
): Omit<MainStep, "status" | "finishReason"> {
  const { executed } = run.main;
  const text = question?.text() ?? "";
  const partial = text.length > 0 || run.turnMessages.length > 0;
  const steps = executed ? [...formerSteps(run), ...(question?.seen() ?? [])] : undefined;
  return { kind: "main_llm", attempt, executed, text, partial, steps, usage: sumUsage(steps) };
}

function formerSteps({ turnMessages }: RunContext): MainLlmStep[] {
  return turnMessages.flatMap((one) => one?.steps ?? []);
}

function announce(run: RunContext, attempt: number): void {
  if (run.main.executed) return;
  const { assistantVariantId } = run.input;
  run.main = { executed: true, assistantVariantId };
  run.emit({ type: "main_llm.started", assistantVariantId, attempt });
}

function requestOf(
  run: RunContext,
  messages: ChatMessage[],
  tools: TurnTools | undefined,
): { request: ModelRequest; isLast: boolean } {
  const {
    system: _,
    vars: __,
    models: ___,
    tools: ____,
    maxSteps = defaultMaxSteps,
    ...settings
  } = run.turn;
  const taken = run.turnMessages.filter((one) => one?.message.role === "assistant").length;
  const isLast = tools === undefined || taken + 1 >= maxSteps;
  const request: ModelRequest = { ...settings, messages, signal: run.signal };
  if (tools !== undefined) request.tools = tools.descriptions;
  // If the last call requested more tools, the user would get no answer.
  if (tools !== undefined && isLast) request.toolChoice = "none";
  return { request, isLast };
}

/** Resolves the models. @throws the error of the engine's `models` */
async function modelsOf({ services, turn }: RunContext): Promise<readonly LanguageModel[]> {
  if (turn.models === undefined) return services.mainModels;
  return Promise.all(turn.models.map(async (reference) => services.models(reference)));
}

/** Builds the model's message with its tool calls, and the reasoning that its provider requires with them. */
function callingMessage(run: RunContext, response: ModelResponse, question: Question): ChatMessage {
  const { toolCalls, providerMetadata } = response;
  const id = `${run.input.assistantVariantId}/${run.turnMessages.length}`;
  const content = wellFormed(response.text || question.text());
  return { id, role: "assistant", content, toolCalls, providerMetadata };
}

/** Runs the model's latest tool calls that have no result yet, concurrently. */
async function answerCalls(
  run: RunContext,
  attempt: number,
  tools: TurnTools | undefined,
): Promise<void> {
  const { turnMessages } = run;
  const asked = turnMessages.findLastIndex((one) => one?.message.role === "assistant");
  const calls = turnMessages[asked]?.message.toolCalls ?? [];
  const open = calls.flatMap((call, index) =>
    turnMessages[asked + 1 + index] === undefined ? [{ call, position: asked + 1 + index }] : [],
  );
  if (open.length === 0) return;
  if (tools === undefined)
    throw new LanguageModelError(
      "provider_error",
      "The model asked for tools, and the turn has none.",
    );
  announce(run, attempt);
  await run.writer.flushed();
  await Promise.all(
    open.map(async ({ call, position }) => {
      const { id: callId, name } = call;
      const shown = safeText(call.arguments, 1_024);
      run.emit({ type: "main_llm.tool_started", callId, name, arguments: shown });
      const result = await tools.call(call);
      const id = `${run.input.assistantVariantId}/${position}`;
      takeStep(run, { kind: "turn_message", position, message: { ...result, id } });
      run.emit({ type: "main_llm.tool_finished", callId, name, isError: result.isError === true });
    }),
  );
}

/** Builds the prompt of the main call, with everything that the first hook committed. */
async function mainPrompt(
  run: RunContext,
  { attempt, tools }: { attempt: number; tools: ToolDescription[] | undefined },
): Promise<ChatMessage[]> {
  const records = run.records.filter(
    ({ operation, end, isCommitted }) =>
      operation.hook === "before_main_llm" && isCommitted && end?.effects !== undefined,
  );
  // Writes of committed operations are already in the run's artifacts.
  const { artifacts } = run;
  const limit = run.services.limits.prompt;
  const trim = limit && { ...limit, tools };
  const { onPrompt } = run.services;
  const isPlain = records.length === 0 && trim === undefined && Object.keys(artifacts).length === 0;
  if (isPlain && onPrompt === undefined && run.turn.system === undefined)
    return [...sendableHistory(run.history), ...turnMessagesOf(run)];
  const prompt = requirePrompt(await fittedPrompt(run, { records, artifacts }, trim));
  const { messages } = prompt;
  if (onPrompt !== undefined) {
    const { runId } = run.input;
    const shown = { ...prompt, messages: messages.map(deepFreeze), runId, attempt };
    callListener(onPrompt, shown, run.services.onListenerError);
  }
  return messages;
}

const finishReasons: Readonly<Record<FinishReason, RunFinishReason>> = {
  stop: "completed",
  length: "length",
  tool_calls: "tool_calls",
  content_filter: "content_filter",
  other: "unknown",
};

/** Keeps the part of the answer that readers have already seen, as after an abort. */
function failedStep(error: unknown, end: Omit<MainStep, "status" | "finishReason">): MainStep {
  const { code, finishReason } = failureOf(error, end.executed);
  const shown = { code, message: safeText(messageOf(error), 512) };
  return { ...end, status: "error", finishReason, error: shown };
}

function failureOf(
  error: unknown,
  isOfModel: boolean,
): { code: OperationErrorCode; finishReason: RunFinishReason } {
  if (LanguageModelError.isInstance(error)) {
    const code = modelErrorCode(error.code);
    const isNamed = code === "timeout" || code === "rate_limited" || code === "policy_error";
    return { code, finishReason: isNamed ? code : "provider_error" };
  }
  if (!OperationsError.isInstance(error)) {
    return isOfModel
      ? { code: "provider_error", finishReason: "provider_error" }
      : { code: "internal_error", finishReason: "unknown" };
  }
  return { code: operationCodeOf(error), finishReason: "policy_error" };
}

/** Records a prompt of the main call together with its history. The result adds what the provider reports. */
async function recordPrompt(
  run: RunContext,
  record: ContextRecorder,
  { messages, tools }: { messages: ChatMessage[]; tools?: readonly ToolDescription[] | undefined },
): Promise<(usage: ModelUsage | undefined) => void> {
  const { contextRecordOf } = await import("@ccl/context-compiler");
  const { input, artifacts, services } = run;
  const given = [...sendableAfter(run, { records: [], artifacts }), ...turnMessagesOf(run)];
  // Of the run's own messages, only a leading system prompt has no id.
  const sources = messages.map(({ id, role }, at) =>
    id === undefined && at > 0 ? -1 : given.findIndex((one) => one.id === id && one.role === role),
  );
  const { counter } = services.limits.prompt ?? {};
  const of = { source: "operations", session: input.chatId, counter, tools };
  const entry = contextRecordOf(given, { messages, sources, trace: [] }, of);
  record.add(entry);
  return (usage) => {
    if (usage === undefined) return;
    const { inputTokens: total, cachedInputTokens: cached = 0 } = usage;
    record.add({ ...entry, reported: { total, cached } });
  };
}
