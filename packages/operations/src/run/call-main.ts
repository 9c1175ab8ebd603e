import { deepFreeze } from "@ccl/core/json";
import {
  LanguageModelError,
  type ChatMessage,
  type FinishReason,
  type ModelRequest,
  type ModelResponse,
  type ToolCall,
} from "@ccl/core";
import { callListener } from "@ccl/core/events";

import { wellFormed } from "../artifact/well-formed.ts";
import type { OperationErrorCode } from "../operation/operation-outcome.ts";
import type { MainStep } from "../ports/run-step.ts";
import { OperationsError } from "../operations-error.ts";
import { sendableHistory } from "../prompt/sendable-history.ts";
import { isErrorCode, modelErrorCode } from "./check-outcome.ts";
import { createDeltaWriter, type DeltaWriter } from "./delta-writer.ts";
import { messageOf } from "../operation/message-of.ts";
import { fittedPrompt } from "./fitted-prompt.ts";
import { artifactsAfter } from "./operation-view.ts";
import type { RunContext } from "./run-context.ts";
import type { MainLlmStep, RunFinishReason } from "./run-result.ts";
import { safeText } from "./safe-text.ts";

/** The main call under way. */
export interface MainCall {
  /** How it ended; never rejects. */
  ended: Promise<MainStep>;
  /** Leaves it to itself and gives what there is of the answer. */
  detach(): MainStep;
}

/** Puts the prompt together and calls the main model, which streams where it can. */
export function callMain(run: RunContext, attempt: number): MainCall {
  const { assistantVariantId } = run.input;
  const deltas = createDeltaWriter(run);
  const asked: Asked = { toolCalls: [], reasoning: "" };
  let detached = false;
  const cutOff = (): MainStep => {
    const text = deltas.text();
    const partial = text.length > 0;
    const finishReason = run.state.stop ?? "user_abort";
    return {
      kind: "main_llm",
      attempt,
      executed: true,
      status: "aborted",
      finishReason,
      text,
      partial,
      steps: run.main.executed ? [stepOf(asked)] : undefined,
    };
  };
  const execute = async (): Promise<MainStep> => {
    try {
      const messages = await mainPrompt(run, attempt);
      if (run.isStopping) return cutOff();
      run.main = { executed: true, assistantVariantId };
      run.emit({ type: "main_llm.started", assistantVariantId, attempt });
      const response = await ask(run, { messages, deltas, asked, isOver: () => detached });
      if (run.isStopping) return cutOff();
      const { usage } = response;
      const text = response.text === "" ? deltas.text() : wellFormed(response.text);
      const finishReason = finishReasons[response.finishReason] ?? "unknown";
      const done = { status: "done", finishReason, text, partial: false } as const;
      const steps = [stepOf(asked, response)];
      return { kind: "main_llm", attempt, executed: true, ...done, usage, steps };
    } catch (error) {
      if (run.isStopping) return cutOff();
      const { executed } = run.main;
      const steps = executed ? [stepOf(asked)] : undefined;
      return failedStep(error, { attempt, executed, text: deltas.text(), steps });
    } finally {
      deltas.close();
    }
  };
  return {
    ended: execute(),
    detach() {
      detached = true;
      deltas.close();
      return cutOff();
    },
  };
}

/** The prompt of the main call, with all that the first hook has committed. */
async function mainPrompt(run: RunContext, attempt: number): Promise<ChatMessage[]> {
  const indexes = run.hasEffects ? committedIndexes(run) : [];
  // Their writes are in the artifacts of the run by now.
  const artifacts = artifactsAfter(run, []);
  const trim = run.services.limits.prompt;
  const { onPrompt } = run.services;
  const isPlain = indexes.length === 0 && trim === undefined && Object.keys(artifacts).length === 0;
  if (isPlain && onPrompt === undefined) return [...sendableHistory(run.history)];
  const prompt = await fittedPrompt(run, { indexes, artifacts, trim });
  const { messages } = prompt;
  if (onPrompt !== undefined) {
    const { runId } = run.input;
    const shown = { ...prompt, messages: messages.map(deepFreeze), runId, attempt };
    callListener(onPrompt, shown, run.services.onListenerError);
  }
  return messages;
}

function committedIndexes({ plan, records }: RunContext): number[] {
  const indexes: number[] = [];
  for (let index = 0; index < plan.beforeCount; index += 1) {
    const record = records[index];
    if (record?.isCommitted === true && record.effects.length > 0) indexes.push(index);
  }
  return indexes;
}

/** What a stream has given beside its text, kept if it breaks off. */
interface Asked {
  toolCalls: ToolCall[];
  reasoning: string;
}

const finishReasons: Readonly<Record<FinishReason, RunFinishReason>> = {
  stop: "completed",
  length: "length",
  tool_calls: "tool_calls",
  content_filter: "content_filter",
  other: "unknown",
};

function stepOf(asked: Asked, response?: ModelResponse): MainLlmStep {
  const toolCalls = response?.toolCalls ?? asked.toolCalls;
  const reasoning = response?.reasoning || asked.reasoning;
  return {
    finishReason: response?.finishReason,
    toolCalls: toolCalls.length > 0 ? toolCalls : undefined,
    reasoning: reasoning === "" ? undefined : wellFormed(reasoning),
    usage: response?.usage,
    requestId: response?.requestId,
  };
}

interface Asking {
  messages: ChatMessage[];
  deltas: DeltaWriter;
  asked: Asked;
  isOver: () => boolean;
}

async function ask(
  run: RunContext,
  { messages, deltas, asked, isOver }: Asking,
): Promise<ModelResponse> {
  const { mainModel, mainRequest } = run.services;
  const request: ModelRequest = Object.assign({}, mainRequest, { messages, signal: run.signal });
  if (mainModel.stream === undefined) {
    const response = await mainModel.generate(request);
    if (!isOver()) deltas.close(response.text);
    return response;
  }
  for await (const delta of mainModel.stream(request)) {
    if (isOver() || run.isStopping) break;
    if (delta.type === "text") deltas.add(delta.text);
    else if (delta.type === "reasoning") asked.reasoning += delta.text;
    else if (delta.type === "tool_call") asked.toolCalls.push(delta.toolCall);
    else if (delta.type === "finish") return delta.response;
  }
  throw new LanguageModelError("provider_error", "The main model's stream ended without a finish.");
}

/** What readers have seen of the answer is kept, as after an abort. */
function failedStep(
  error: unknown,
  of: Pick<MainStep, "attempt" | "executed" | "text" | "steps">,
): MainStep {
  const { code, finishReason } = failureOf(error, of.executed);
  const shown = { code, message: safeText(messageOf(error), 512) };
  return {
    kind: "main_llm",
    ...of,
    status: "error",
    finishReason,
    partial: of.text.length > 0,
    error: shown,
  };
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
  const { details } = error;
  const code =
    typeof details === "object" && details !== null && "operationCode" in details
      ? details.operationCode
      : "";
  return { code: isErrorCode(code) ? code : "internal_error", finishReason: "policy_error" };
}
