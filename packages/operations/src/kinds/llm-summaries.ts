import { maxDebugChars } from "./scrub.ts";
import type { ModelResponse, ModelUsage } from "@ccl/core";
import { withoutUndefined } from "@ccl/core/json";

import type { OperationContext } from "../operation/operation-context.ts";
import type { LlmParams } from "./llm-params.ts";
import type { ModelPrice } from "./model-price.ts";
import { costOf } from "./model-price.ts";
import { promptHash } from "./prompt-hash.ts";
import type { Scrub } from "./scrub.ts";

/** Bounds of the summaries, in characters and items. */
const rawTextPreviewChars = 1_024;
const parseErrorChars = 512;
const maxStops = 10;
const stopChars = 120;

/** Rendered texts of one call. */
export interface RenderedPrompt {
  system: string | undefined;
  prompt: string;
}

/** What summaries are built from. */
export interface SummaryTools {
  context: OperationContext;
  scrub: Scrub;
  hashKey: string | Uint8Array | undefined;
}

/** What was asked, without the texts but under `debug`, and never with the credential. */
export function inputsSummary(
  params: LlmParams,
  { system, prompt }: RenderedPrompt,
  { context, scrub, hashKey }: SummaryTools,
): Record<string, unknown> {
  const { providerRef, model, output = { mode: "text" }, samplers, stop, maxOutputTokens } = params;
  return withoutUndefined({
    providerRef,
    model,
    outputMode: output.mode,
    schemaRef: output.schemaRef,
    samplers,
    maxOutputTokens,
    maxInputTokens: params.maxInputTokens,
    stop: stop?.slice(0, maxStops).map((text) => scrub(text, stopChars)),
    timeoutMs: params.timeoutMs,
    retry: params.retry,
    strictVariables: params.strictVariables,
    renderedSystemHash:
      hashKey === undefined || system === undefined ? undefined : promptHash(hashKey, system),
    renderedPromptHash: hashKey === undefined ? undefined : promptHash(hashKey, prompt),
    ...(context.config.debug?.enabled === true && {
      renderedSystem: system === undefined ? undefined : scrub(system, maxDebugChars),
      renderedPrompt: scrub(prompt, maxDebugChars),
    }),
  });
}

/** What came of it so far. */
export interface LlmProgress {
  attempts: number;
  startedAt: number;
  /** Of the last response. */
  response: ModelResponse | undefined;
  /** Summed over all attempts that gave a response. */
  usage: ModelUsage | undefined;
  costUsd: number | undefined;
  parseErrorMessage: string | undefined;
}

/** What came back, without the text but for a bounded preview of JSON, or under `debug`. */
export function outputsSummary(
  params: LlmParams,
  progress: LlmProgress & { finishedAt: number },
  { context, scrub, hashKey }: SummaryTools,
): Record<string, unknown> {
  const { attempts, startedAt, finishedAt, response, usage, costUsd, parseErrorMessage } = progress;
  const isJson = params.output?.mode === "json";
  const rawText = response?.text;
  return withoutUndefined({
    attempts,
    durationMs: finishedAt - startedAt,
    providerRequestId:
      response?.requestId === undefined ? undefined : scrub(response.requestId, stopChars),
    usage:
      usage === undefined
        ? undefined
        : withoutUndefined({
            inputTokens: usage.inputTokens,
            outputTokens: usage.outputTokens,
            totalTokens: usage.inputTokens + usage.outputTokens,
            costUsd,
          }),
    finishReason: response?.finishReason,
    rawTextPreview:
      isJson && rawText !== undefined ? scrub(rawText, rawTextPreviewChars) : undefined,
    rawTextHash:
      isJson && rawText !== undefined && hashKey !== undefined
        ? promptHash(hashKey, rawText)
        : undefined,
    parseErrorMessage:
      parseErrorMessage === undefined ? undefined : scrub(parseErrorMessage, parseErrorChars),
    ...(context.config.debug?.enabled === true &&
      rawText !== undefined && { rawText: scrub(rawText, maxDebugChars) }),
  });
}

/** Adds the usage and cost of one response. */
export function addResponse(
  progress: LlmProgress,
  response: ModelResponse,
  price: ModelPrice | undefined,
): void {
  progress.response = response;
  const { usage } = response;
  if (usage === undefined) return;
  const { inputTokens, outputTokens } = progress.usage ?? { inputTokens: 0, outputTokens: 0 };
  progress.usage = {
    inputTokens: inputTokens + usage.inputTokens,
    outputTokens: outputTokens + usage.outputTokens,
  };
  const costUsd = costOf(usage, price);
  if (costUsd !== undefined) progress.costUsd = (progress.costUsd ?? 0) + costUsd;
}
