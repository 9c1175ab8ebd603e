import type { ModelCapabilities, ModelDelta, ModelRequest } from "@ccl/core";
import { isRecord, withoutUndefined } from "@ccl/core/json";
import { streamChunks } from "@ccl/core/http";

import { convert, type StreamingModel } from "../http/create-wire-model.ts";
import { type CallLimits, runCall, streamCall } from "../http/run-call.ts";
import { toAiSdkCall } from "./ai-sdk-call.ts";
import { toModelError } from "./ai-sdk-error.ts";
import { createAiSdkReader, toAiSdkResponse } from "./ai-sdk-response.ts";
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
  ): ReturnType<typeof toAiSdkCall> => toAiSdkCall(request, { abortSignal, version });
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
      runCall(limitsOf(request), async (signal) =>
        toAiSdkResponse(await model.doGenerate(convert(() => callOf(request, signal)))),
      ),
    stream: (request) =>
      streamCall(limitsOf(request), async function* (signal) {
        const { stream } = await model.doStream(convert(() => callOf(request, signal)));
        yield* readParts(stream, signal);
      }),
  };
}

async function* readParts(
  stream: ReadableStream<object>,
  signal: AbortSignal,
): AsyncGenerator<ModelDelta> {
  const reader = createAiSdkReader();
  for await (const part of streamChunks(stream, signal)) {
    if (isRecord(part) && part["type"] === "error") throw part["error"];
    yield* reader.push(part);
  }
  const response = reader.finish();
  if (response === undefined) throw new TypeError("The stream ended before the answer did.");
  yield { type: "finish", response };
}
