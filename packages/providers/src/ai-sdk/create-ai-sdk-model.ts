import type { ModelCapabilities, ModelRequest, ModelResponse, StreamingModel } from "@ccl/core";
import { streamChunks } from "@ccl/core/http";
import {
  type JsonRecord,
  arrayAt,
  isRecord,
  recordAt,
  stringAt,
  withoutUndefined,
} from "@ccl/core/json";
import { cutError } from "../http/call-error.ts";
import { convert, type StreamReader } from "../http/create-wire-model.ts";
import { type CallLimits, runCall, streamCall } from "../http/run-call.ts";
import { type TextDelta, streamDeltas } from "../http/whole-deltas.ts";
import { fromAiSdkAnswer } from "../wire/ai-sdk/ai-sdk-answer.ts";
import { type WireLoss, toAiSdkMessages } from "../wire/ai-sdk/index.ts";
import { askedTools } from "../wire/asked-tools.ts";
import { collectLosses } from "../wire/losses.ts";
import { toModelError } from "./ai-sdk-error.ts";
import type { AiSdkCall, AiSdkLanguageModel } from "./ai-sdk-types.ts";

/** Options of `createAiSdkModel`. */
export interface AiSdkModelOptions {
  model: AiSdkLanguageModel;
  capabilities?: ModelCapabilities | undefined;
  /** Time limit for calls without their own `timeoutMs`. */
  timeoutMs?: number | undefined;
  /** Maximum number of retries, as in the other adapters. Default: 2. */
  retries?: number | undefined;
}

/**
 * Wraps an AI SDK language model (interface versions 2 to 4). Retries calls itself, since the SDK only retries above
 * its models.
 */
export function createAiSdkModel(options: AiSdkModelOptions): StreamingModel {
  const { model, capabilities } = options;
  const { provider, modelId, specificationVersion: version } = model;
  const callOf = (
    request: ModelRequest,
    abortSignal: AbortSignal,
  ): { call: ReturnType<typeof toAiSdkCall>; own: Pick<ModelResponse, "warnings"> } => {
    const { warnings, report } = collectLosses();
    const call = convert(() => toAiSdkCall(request, { abortSignal, version, report }));
    return { call, own: warnings.length > 0 ? { warnings } : {} };
  };
  const limitsOf = (request: ModelRequest): CallLimits => ({
    name: provider,
    signal: request.signal,
    timeoutMs: request.timeoutMs ?? options.timeoutMs,
    retries: options.retries,
    explain: (caught) => toModelError(caught, provider, request),
  });
  return {
    ...withoutUndefined({ provider, modelId, capabilities }),
    generate: (request) =>
      runCall(limitsOf(request), async (signal) => {
        const { call, own } = callOf(request, signal);
        const result = await model.doGenerate(call);
        return { ...fromAiSdkAnswer({ ...result }), ...own };
      }),
    stream: (request) =>
      streamCall(limitsOf(request), async function* (signal) {
        const { call, own } = callOf(request, signal);
        const { stream } = await model.doStream(call);
        const reader = createAiSdkReader();
        yield* streamDeltas(
          readPieces(stream, reader, { provider, request: { ...request, signal } }),
          () => {
            const result = reader.toBody(true);
            if (result === undefined) throw cutError(provider);
            return { ...fromAiSdkAnswer(result), ...own };
          },
        );
      }),
  };
}

async function* readPieces(
  stream: ReadableStream<object>,
  reader: StreamReader,
  { provider, request }: { provider: string; request: ModelRequest },
): AsyncGenerator<TextDelta> {
  try {
    for await (const part of streamChunks(stream, request.signal)) {
      if (!isRecord(part)) continue;
      if (part["type"] === "error") throw part["error"];
      yield* reader.push(part);
    }
  } catch (error) {
    throw toModelError(error, provider, request) ?? cutError(provider, error);
  }
}

/** Builds the options for `doGenerate` and `doStream`. Passes `providerOptions` unchanged. */
function toAiSdkCall(
  request: ModelRequest,
  {
    abortSignal,
    ...options
  }: { abortSignal: AbortSignal; version: string; report: (loss: WireLoss) => void },
): AiSdkCall & JsonRecord {
  const { tools, toolChoice } = askedTools(request);
  const sampling = withoutUndefined({
    maxOutputTokens: request.maxOutputTokens,
    temperature: request.temperature,
    stopSequences: request.stop,
    topP: request.topP,
    topK: request.topK,
    presencePenalty: request.presencePenalty,
    frequencyPenalty: request.frequencyPenalty,
    seed: request.seed,
    responseFormat: formatOf(request),
    tools: tools?.map(({ name, description, inputSchema }) => ({
      type: "function",
      name,
      description,
      inputSchema,
    })),
    toolChoice:
      typeof toolChoice === "object"
        ? { type: "tool", toolName: toolChoice.name }
        : toolChoice && { type: toolChoice },
    providerOptions: request.providerOptions,
  });
  return { ...sampling, prompt: toAiSdkMessages(request.messages, options), abortSignal };
}

function formatOf({ responseFormat }: ModelRequest): JsonRecord | undefined {
  if (responseFormat === undefined || responseFormat.type === "text") return undefined;
  if (responseFormat.type === "json_object") return { type: "json" };
  return { type: "json", name: responseFormat.name, schema: responseFormat.schema };
}

const pieceTypes: Record<string, TextDelta["type"] | undefined> = {
  "text-delta": "text",
  "reasoning-delta": "reasoning",
};
const kept = new Set(["reasoning-end", "file", "source", "tool-result", "tool-call"]);

/**
 * Creates a reader for all parts of `doStream` except errors. Builds the body that `doGenerate` would have returned.
 */
function createAiSdkReader(): StreamReader {
  const content: JsonRecord[] = [];
  let result: JsonRecord = {};
  let isFinished = false;
  return {
    push(part) {
      const type = stringAt(part, "type") ?? "";
      if (type === "response-metadata") result["response"] = { id: part["id"] };
      if (type === "stream-start") result["warnings"] = arrayAt(part, "warnings");
      if (type === "finish") result = { ...result, ...part };
      isFinished ||= type === "finish";
      const isBare = Object.keys(recordAt(part, "providerMetadata")).length === 0;
      if (kept.has(type) && !(type === "reasoning-end" && isBare)) content.push(part);
      const pieceType = pieceTypes[type];
      if (pieceType === undefined) return [];
      const text = stringAt(part, "delta") ?? "";
      content.push({ type: pieceType, text });
      return [{ type: pieceType, text }];
    },
    toBody: () => (isFinished ? { ...result, content } : undefined),
  };
}
