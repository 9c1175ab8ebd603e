import {
  type ChatMessage,
  type Clock,
  countMessages,
  estimatedCounter,
  type LanguageModel,
  type ModelRequest,
  systemClock,
  TokenBudget,
  type TokenCounter,
} from "@ccl/core";
import { sleep } from "@ccl/core/async";
import type { StructuredSchema } from "@ccl/structured-output";

import { defaultRenderer } from "../liquid/default-renderer.ts";
import type { TemplateRenderer } from "../liquid/template-renderer.ts";
import type { OperationHandler } from "../operation/operation-context.ts";
import type { ModelReference } from "../operation/turn-settings.ts";
import type { AskOnce, LlmAnswer } from "./llm-answer.ts";
import { type LlmParams, llmParamsSchema } from "./llm-params.ts";
import {
  addResponse,
  inputsSummary,
  type LlmProgress,
  outputsSummary,
  type RenderedPrompt,
} from "./llm-summaries.ts";
import { affordableOutput, type ModelPrice, type ModelPrices, priceOf } from "./model-price.ts";
import { OperationError } from "./operation-error.ts";
import { operationErrorOf } from "./operation-error-of.ts";
import { readParams, requireAllowed } from "./read-params.ts";
import { resultEffects, resultEffectTypes } from "./result-params.ts";
import { type AttemptServices, runAttempts } from "./run-attempts.ts";
import { createHandler, type HandlerRun, rendered } from "./run-handler.ts";
import { templateScopeOf } from "./template-scope-of.ts";

/** Finds the model of a reference, with its credential. What it throws is `provider_error`. */
export type ModelResolver = (reference: ModelReference) => LanguageModel | Promise<LanguageModel>;

/** What the kind `llm` needs from the application. */
export interface LlmOperationOptions {
  models: ModelResolver;
  /** For `maxInputTokens` and budgets; default core's estimate, with its margin of a tenth. */
  counter?: TokenCounter | undefined;
  /** Without a price of its model an operation with a budget is refused. */
  prices?: ModelPrices | undefined;
  /** By `schemaRef`: zod, another Standard Schema, or JSON Schema. */
  schemas?: Readonly<Record<string, StructuredSchema<unknown>>> | undefined;
  liquid?: TemplateRenderer | undefined;
  clock?: Clock | undefined;
  /** From 0 to below 1; draws the waits between attempts. */
  random?: (() => number) | undefined;
  /** Waits between attempts; default a timer. */
  sleep?: AttemptServices["sleep"] | undefined;
  /** Key of the hashes of prompts and answers in summaries, one for each installation; without it there are none. */
  promptHashKey?: string | Uint8Array | undefined;
}

/** One run of the operation. */
interface LlmRun {
  params: LlmParams;
  texts: RenderedPrompt;
  messages: ChatMessage[];
  price: ModelPrice | undefined;
  progress: LlmProgress;
}

/** The handler of the kind `llm`: one call of an auxiliary model, apart from retries. */
export function createLlmOperation(options: LlmOperationOptions): OperationHandler {
  const {
    clock = systemClock,
    random = Math.random,
    prices = {},
    promptHashKey: hashKey,
  } = options;
  const services: AttemptServices = { clock, random, sleep: options.sleep ?? sleep };
  let asking: Promise<AskOnce> | undefined;
  return createHandler(async (handler: HandlerRun) => {
    const { context, debug } = handler;
    const tools = { ...handler, hashKey };
    const params = readParams(llmParamsSchema, context);
    asking ??= import("./llm-answer.ts").then(({ createAskOnce }) => createAskOnce());
    const askOnce = await asking;
    requireAllowed(resultEffectTypes(params), context);
    const schema = schemaOf(params, options);
    const texts = renderTexts(params, handler, options.liquid ?? defaultRenderer());
    debug.inputsSummary = inputsSummary(params, texts, tools);
    const progress: LlmProgress = {
      attempts: 0,
      startedAt: clock.now(),
      response: undefined,
      usage: undefined,
      costUsd: undefined,
      parseErrorMessage: undefined,
    };
    const run: LlmRun = {
      params,
      texts,
      messages: messagesOf(texts),
      price: priceOf(prices, params),
      progress,
    };
    try {
      requestOf(run, options);
      const { timeoutMs, retry } = params;
      const answer = await runAttempts(
        context,
        (signal) => attempt(run, { ...options, schema, askOnce, signal }),
        {
          services,
          timeoutMs,
          retry,
          onAttempt: (number) => void (progress.attempts = number),
        },
      );
      return { effects: resultEffects(params, answer) };
    } catch (error) {
      const { code, message } = operationErrorOf(error);
      if (code === "output_parse_error") progress.parseErrorMessage = message;
      throw error;
    } finally {
      debug.outputsSummary = outputsSummary(
        params,
        { ...progress, finishedAt: clock.now() },
        tools,
      );
    }
  });
}

function schemaOf(
  { output }: LlmParams,
  { schemas = {} }: LlmOperationOptions,
): StructuredSchema<unknown> | undefined {
  const ref = output?.schemaRef;
  if (ref === undefined) return undefined;
  const schema = Object.hasOwn(schemas, ref) ? schemas[ref] : undefined;
  if (schema !== undefined) return schema;
  throw new OperationError(
    "validation_error",
    `There is no schema ${JSON.stringify(ref)}; give it to createBuiltinOperations as one of its schemas, or correct schemaRef.`,
  );
}

function renderTexts(
  params: LlmParams,
  { context }: HandlerRun,
  renderer: TemplateRenderer,
): RenderedPrompt {
  const scope = templateScopeOf(context);
  const { strictVariables = false } = params;
  const render = (template: string): string =>
    rendered(renderer.render(template, scope, { strictVariables }));
  const system = params.system === undefined ? "" : render(params.system);
  return { system: system === "" ? undefined : system, prompt: render(params.prompt) };
}

function messagesOf({ system, prompt }: RenderedPrompt): ChatMessage[] {
  const user: ChatMessage = { role: "user", content: prompt };
  return system === undefined ? [user] : [{ role: "system", content: system }, user];
}

/** The request of the next attempt. Throws `budget_exceeded` where tokens or dollars do not suffice. */
function requestOf(
  { params, messages, price, progress }: LlmRun,
  options: LlmOperationOptions,
): ModelRequest {
  const { samplers, stop, timeoutMs, maxInputTokens, budget } = params;
  let { maxOutputTokens } = params;
  const maxCostUsd = budget?.maxCostUsd;
  if (maxInputTokens !== undefined || maxCostUsd !== undefined) {
    const { counter = estimatedCounter } = options;
    const tokens =
      counter.countMessages?.(messages) ?? countMessages((text) => counter.count(text), messages);
    refuseTooLong(tokens, { maxInputTokens, counter });
    if (maxCostUsd !== undefined) {
      const inputTokens = counter.isExact ? tokens : Math.ceil(tokens / 0.9);
      const leftUsd = maxCostUsd - (progress.costUsd ?? 0);
      maxOutputTokens = affordableOutput({ leftUsd, price, inputTokens, maxOutputTokens });
    }
  }
  return {
    messages,
    ...samplers,
    stop,
    maxOutputTokens,
    timeoutMs,
  };
}

function refuseTooLong(
  tokens: number,
  { maxInputTokens, counter }: { maxInputTokens: number | undefined; counter: TokenCounter },
): void {
  if (maxInputTokens === undefined) return;
  const { usable } = new TokenBudget({ total: maxInputTokens, counter });
  if (tokens <= usable) return;
  const message = `The prompt has ${tokens} tokens where ${usable} of ${maxInputTokens} may be used; shorten it or allow more.`;
  throw new OperationError("budget_exceeded", message, {
    details: { tokens, usable, maxInputTokens },
  });
}

async function attempt(
  run: LlmRun,
  {
    schema,
    askOnce,
    signal,
    ...options
  }: LlmOperationOptions & {
    schema: StructuredSchema<unknown> | undefined;
    askOnce: AskOnce;
    signal: AbortSignal;
  },
): Promise<LlmAnswer> {
  const { params, price, progress } = run;
  const { providerRef, model, credentialRef } = params;
  const request = requestOf(run, options);
  let languageModel: LanguageModel;
  try {
    languageModel = await options.models({ providerRef, model, credentialRef });
  } catch (error) {
    throw operationErrorOf(error, "provider_error");
  }
  try {
    return await askOnce(languageModel, {
      request: { ...request, signal },
      mode: params.output?.mode ?? "text",
      schema,
      onResponse: (response) => addResponse(progress, response, price),
    });
  } catch (error) {
    throw operationErrorOf(error, "provider_error");
  }
}
