import {
  type ChatMessage,
  estimatedCounter,
  type ModelRequest,
  type ModelResponse,
  sumUsage,
  systemClock,
  TokenBudget,
} from "@ccl/core";
import { loadOnce } from "@ccl/core/async";
import { hmacSha256Hex } from "@ccl/core/hash";
import { z } from "zod";

import { writeArtifactShape } from "../effects/effect-shape.ts";
import type { WriteArtifactParams } from "../effects/operation-effect.ts";
import { tokensOf } from "../operation/tokens-of.ts";
import {
  type CallParams,
  type Kind,
  type KindOptions,
  type KindRun,
  callShape,
  createKind,
  lookUp,
} from "./kind.ts";
import { OperationError } from "./operation-error.ts";

/** Sampling settings of one call. The provider chooses any that are absent. */
export type LlmSamplers = Pick<
  ModelRequest,
  "temperature" | "topP" | "topK" | "frequencyPenalty" | "presencePenalty" | "seed"
>;

/** Parameters of the kind `llm`. They contain references only, no keys. */
export interface LlmParams extends CallParams {
  /** Provider to request from the model resolver. */
  providerRef: string;
  /** The provider's name for the model. */
  model: string;
  /** Passed only to the model resolver. */
  credentialRef: string;
  /** System message, as a Liquid template. Omitted if absent or rendered empty. */
  system?: string | undefined;
  /** The only user message, as a Liquid template. */
  prompt: string;
  /** A longer prompt, including framing, fails with `budget_exceeded` before the call. */
  maxInputTokens?: number | undefined;
  /** The provider decides if absent. */
  samplers?: LlmSamplers | undefined;
  /** Token limit of the answer. */
  maxOutputTokens?: number | undefined;
  /** Strings that end the answer, up to 64. */
  stop?: string[] | undefined;
  /** Defaults to text. With `json` the answer must be JSON, and must match the schema if `schemaRef` names one. */
  output?: { mode: "text" | "json"; schemaRef?: string | undefined } | undefined;
  writeArtifact: WriteArtifactParams;
}

const reference = z.string().min(1).max(200);
const text = z.exactOptional(z.string());
const number = z.exactOptional(z.number());
const count = z.exactOptional(z.int().min(1));

const params: z.ZodType<LlmParams> = z.strictObject({
  providerRef: reference,
  model: reference,
  credentialRef: reference,
  system: text,
  prompt: z.string(),
  maxInputTokens: count,
  samplers: z.exactOptional(
    z.strictObject({
      temperature: number,
      topP: number,
      topK: number,
      frequencyPenalty: number,
      presencePenalty: number,
      seed: z.exactOptional(z.int()),
    }),
  ),
  maxOutputTokens: count,
  stop: z.exactOptional(z.array(z.string().min(1)).max(64)),
  output: z.exactOptional(
    z
      .strictObject({ mode: z.enum(["text", "json"]), schemaRef: z.exactOptional(reference) })
      .refine(({ mode, schemaRef }) => mode === "json" || schemaRef === undefined, {
        message: "A schema is for the mode json",
        path: ["schemaRef"],
      }),
  ),
  ...callShape,
  timeoutMs: z.exactOptional(z.int().min(1).max(3_600_000)),
  writeArtifact: writeArtifactShape,
});

/** Calls an auxiliary model once, or more often with retries. */
export const llmKind: Kind = createKind(params, (options) => {
  const asker = loadOnce(async () => (await import("./llm-answer.ts")).createAskOnce());
  return async (run) => {
    const { params, debug } = run;
    const {
      providerRef,
      model,
      credentialRef,
      output: { mode, schemaRef } = { mode: "text" },
    } = params;
    const askOnce = await asker();
    const schema =
      schemaRef === undefined ? undefined : lookUp("schema", options.schemas, schemaRef);
    const system = params.system === undefined ? "" : run.render(params.system);
    const prompt = run.render(params.prompt);
    const user: ChatMessage = { role: "user", content: prompt };
    const messages: ChatMessage[] =
      system === "" ? [user] : [{ role: "system", content: system }, user];
    debug.inputsSummary = inputsSummary(run, { system, prompt }, options);
    const responses: ModelResponse[] = [];
    const progress: LlmProgress = { attempts: 0, responses };
    const { clock = systemClock } = options;
    const startedAt = clock.now();
    try {
      return await run.attempt(async (signal) => {
        progress.attempts += 1;
        const request = { ...requestOf(params, messages, options), signal };
        const languageModel = await options.models?.({ providerRef, model, credentialRef });
        if (languageModel === undefined)
          throw new OperationError("validation_error", "There are no models; pass them in.");
        const onResponse = (response: ModelResponse): void => void responses.push(response);
        return askOnce(languageModel, { request, mode, schema, onResponse });
      });
    } catch (error) {
      if (error instanceof OperationError && error.code === "output_parse_error")
        progress.parseErrorMessage = error.message;
      throw error;
    } finally {
      const durationMs = clock.now() - startedAt;
      debug.outputsSummary = { ...outputsSummary(run, progress, options), durationMs };
    }
  };
});

/** Builds the request. Throws `budget_exceeded` if the prompt is too long. */
function requestOf(
  { samplers, stop, timeoutMs, maxInputTokens: total, maxOutputTokens }: LlmParams,
  messages: ChatMessage[],
  { counter = estimatedCounter }: KindOptions,
): ModelRequest {
  if (total !== undefined) {
    const tokens = tokensOf(counter, messages);
    const { usable } = new TokenBudget({ total, counter });
    if (tokens > usable) {
      const message = `The prompt has ${tokens} tokens where ${usable} of ${total} may be used; shorten it or allow more.`;
      const details = { tokens, usable, maxInputTokens: total };
      throw new OperationError("budget_exceeded", message, { details });
    }
  }
  return { messages, ...samplers, stop, maxOutputTokens, timeoutMs };
}

/** Summarizes the request. Includes the texts only under `debug`, and never the credential. */
function inputsSummary(
  { params, context }: KindRun<LlmParams>,
  { system, prompt }: { system: string; prompt: string },
  { promptHashKey }: KindOptions,
): Record<string, unknown> {
  const { providerRef, model, samplers, stop, maxOutputTokens, maxInputTokens } = params;
  const { timeoutMs, retry, strictVariables, output } = params;
  const isShown = context.config.debug?.enabled === true;
  return {
    providerRef,
    model,
    samplers,
    stop,
    maxOutputTokens,
    maxInputTokens,
    timeoutMs,
    retry,
    strictVariables,
    outputMode: output?.mode ?? "text",
    schemaRef: output?.schemaRef,
    renderedSystemHash: system === "" ? undefined : hashOf(system, promptHashKey),
    renderedPromptHash: hashOf(prompt, promptHashKey),
    renderedSystem: isShown && system !== "" ? system : undefined,
    renderedPrompt: isShown ? prompt : undefined,
  };
}

/** Hashes text. Equal texts have equal hashes within one installation. Without the key, guesses cannot be checked. */
function hashOf(text: string, key: string | Uint8Array | undefined): string | undefined {
  return key === undefined ? undefined : hmacSha256Hex(key, text);
}

/** The state of the work so far. */
interface LlmProgress {
  attempts: number;
  /** Those of all attempts, in order. */
  responses: readonly ModelResponse[];
  parseErrorMessage?: string | undefined;
}

/** Summarizes the response: its text under `debug`, otherwise only a JSON preview. The engine truncates it. */
function outputsSummary(
  { params, context }: KindRun<LlmParams>,
  { attempts, responses, parseErrorMessage }: LlmProgress,
  { promptHashKey }: KindOptions,
): Record<string, unknown> {
  const response = responses.at(-1);
  const usage = sumUsage(responses);
  const rawText = response?.text;
  const json = params.output?.mode === "json" ? rawText : undefined;
  const totalTokens = usage && usage.inputTokens + usage.outputTokens;
  return {
    attempts,
    providerRequestId: response?.requestId,
    usage: usage && { ...usage, totalTokens },
    finishReason: response?.finishReason,
    rawTextPreview: json,
    rawTextHash: json === undefined ? undefined : hashOf(json, promptHashKey),
    parseErrorMessage,
    rawText: context.config.debug?.enabled === true ? rawText : undefined,
  };
}
