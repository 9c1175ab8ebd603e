import type { ModelCapabilities, ModelDelta, ModelRequest } from "@ccl/core";
import { isRecord, withoutUndefined } from "@ccl/core/json";
import { streamChunks } from "@ccl/core/http";

import { CallScope } from "../http/call-scope.ts";
import { convert, type StreamingModel } from "../http/create-wire-model.ts";
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
}

/** A language model of the AI SDK, versions 2 and 3 of its interface, as a model here. The SDK's retries are not used. */
export function createAiSdkModel(options: AiSdkModelOptions): StreamingModel {
  const { model, capabilities } = options;
  const { provider, modelId } = model;
  const begin = (request: ModelRequest): CallScope =>
    new CallScope(provider, {
      signal: request.signal,
      timeoutMs: request.timeoutMs ?? options.timeoutMs,
    });
  const explain = (scope: CallScope, caught: unknown, request: ModelRequest): Error =>
    scope.explain(
      scope.signal.aborted ? caught : (toModelError(caught, provider, request) ?? caught),
    );
  return {
    ...withoutUndefined({ provider, modelId, capabilities }),
    async generate(request) {
      const scope = begin(request);
      try {
        return toAiSdkResponse(
          await model.doGenerate(convert(() => toAiSdkCall(request, scope.signal))),
        );
      } catch (error) {
        throw explain(scope, error, request);
      } finally {
        scope.close();
      }
    },
    async *stream(request) {
      const scope = begin(request);
      try {
        yield* readParts(
          (await model.doStream(convert(() => toAiSdkCall(request, scope.signal)))).stream,
        );
      } catch (error) {
        throw explain(scope, error, request);
      } finally {
        scope.close();
      }
    },
  };
}

async function* readParts(stream: ReadableStream<object>): AsyncGenerator<ModelDelta> {
  const reader = createAiSdkReader();
  for await (const part of streamChunks(stream)) {
    if (isRecord(part) && part["type"] === "error") throw part["error"];
    yield* reader.push(part);
  }
  const response = reader.finish();
  if (response === undefined) throw new TypeError("The stream ended before the answer did.");
  yield { type: "finish", response };
}
