import type { ModelCapabilities, ModelRequest, ModelResponse, StreamingModel } from "@ccl/core";
import { isRecord, withoutUndefined } from "@ccl/core/json";
import { streamChunks } from "@ccl/core/http";

import { cutError } from "../http/call-error.ts";
import { convert } from "../http/create-wire-model.ts";
import { type CallLimits, runCall, streamCall } from "../http/run-call.ts";
import { streamDeltas, type TextDelta } from "../http/whole-deltas.ts";
import { fromAiSdkAnswer } from "../wire/ai-sdk/ai-sdk-answer.ts";
import { collectLosses } from "../wire/losses.ts";
import { toAiSdkCall } from "./ai-sdk-call.ts";
import { toModelError } from "./ai-sdk-error.ts";
import { type AiSdkReader, createAiSdkReader } from "./ai-sdk-stream.ts";
import type { AiSdkLanguageModel } from "./ai-sdk-types.ts";

/** The model to wrap. */
export interface AiSdkModelOptions {
  model: AiSdkLanguageModel;
  capabilities?: ModelCapabilities | undefined;
  /** For calls that give no `timeoutMs`. */
  timeoutMs?: number | undefined;
  /** As for the other adapters. Default: 2. */
  retries?: number | undefined;
}

/** A language model of the AI SDK, versions 2 to 4 of its interface, as a model here. Retried as all models here, since the
 * SDK's own retries stand above its models. */
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
            const result = reader.toResult();
            if (result === undefined) throw cutError(provider);
            return { ...fromAiSdkAnswer(result), ...own };
          },
        );
      }),
  };
}

async function* readPieces(
  stream: ReadableStream<object>,
  reader: AiSdkReader,
  { provider, request }: { provider: string; request: ModelRequest },
): AsyncGenerator<TextDelta> {
  try {
    for await (const part of streamChunks(stream, request.signal)) {
      if (isRecord(part) && part["type"] === "error") throw part["error"];
      yield* reader.push(part);
    }
  } catch (error) {
    throw toModelError(error, provider, request) ?? cutError(provider, error);
  }
}
