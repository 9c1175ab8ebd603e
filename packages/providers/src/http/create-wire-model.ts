import {
  type LanguageModel,
  LanguageModelError,
  type ModelCapabilities,
  type ModelDelta,
  type ModelRequest,
  type ModelResponse,
} from "@ccl/core";
import { isRecord, type JsonRecord, parseJson, withoutUndefined } from "@ccl/core/json";
import { streamChunks } from "@ccl/core/http";

import { WireError } from "../wire/wire-error.ts";
import { CallScope } from "./call-scope.ts";
import { openCall, type OpenedCall, type Service, type ServiceCall } from "./open-call.ts";
import { asksForFormat } from "./reported-error.ts";
import { type Framing, readFrames } from "./read-frames.ts";

/** Puts the events of one stream together. */
export interface StreamReader {
  push(event: JsonRecord): ModelDelta[];
  /** The whole answer; undefined when the stream ended before the answer did. */
  finish(): { deltas: ModelDelta[]; response: ModelResponse } | undefined;
}

/** One provider's wire format for chat. */
export interface Wire {
  path: string;
  framing: Framing;
  /** @throws WireError or LanguageModelError for what the format can't express. */
  toBody(request: ModelRequest, isStreaming: boolean): JsonRecord;
  toResponse(body: JsonRecord): ModelResponse;
  createReader(): StreamReader;
}

/** A model that streams, as all models here do. */
export interface StreamingModel extends LanguageModel {
  stream(request: ModelRequest): AsyncIterable<ModelDelta>;
}

/** A model over one wire format. Each call is one HTTP request. */
export function createWireModel(
  service: Service,
  wire: Wire,
  named: { modelId: string; capabilities?: ModelCapabilities | undefined },
): StreamingModel {
  const { provider } = service;
  const begin = (request: ModelRequest): CallScope =>
    new CallScope(provider, {
      signal: request.signal,
      timeoutMs: request.timeoutMs ?? service.endpoint.timeoutMs,
    });
  return {
    provider,
    ...withoutUndefined({ modelId: named.modelId, capabilities: named.capabilities }),
    async generate(request) {
      const call = callOf(request, wire, false);
      const scope = begin(request);
      try {
        const opened = await openCall(service, call, scope);
        const body = parseJson(await new Response(opened.body).text());
        return withRequestId(wire.toResponse(checkedAnswer(body, service, opened)), opened);
      } catch (error) {
        throw scope.explain(error);
      } finally {
        scope.close();
      }
    },
    async *stream(request) {
      const call = callOf(request, wire, true);
      const scope = begin(request);
      try {
        const opened = await openCall(service, call, scope);
        yield* readDeltas(opened, { service, wire, signal: scope.signal });
      } catch (error) {
        throw scope.explain(error);
      } finally {
        scope.close();
      }
    },
  };
}

function callOf(request: ModelRequest, wire: Wire, isStreaming: boolean): ServiceCall {
  return {
    path: wire.path,
    body: convert(() => wire.toBody(request, isStreaming)),
    asksForFormat: asksForFormat(request),
  };
}

/** Runs a conversion of messages. @throws LanguageModelError `invalid_request` in place of a `WireError`. */
export function convert<Value>(run: () => Value): Value {
  try {
    return run();
  } catch (error) {
    if (!WireError.isInstance(error)) throw error;
    throw new LanguageModelError("invalid_request", error.message, { cause: error });
  }
}

async function* readDeltas(
  opened: OpenedCall,
  { service, wire, signal }: { service: Service; wire: Wire; signal: AbortSignal },
): AsyncGenerator<ModelDelta> {
  const reader = wire.createReader();
  for await (const frame of readFrames(streamChunks(opened.body, signal), wire.framing)) {
    if (frame === "[DONE]") break;
    yield* reader.push(checkedAnswer(parseJson(frame), service, opened));
  }
  const end = reader.finish();
  if (end === undefined) throw new TypeError("The stream ended before the answer did.");
  yield* end.deltas;
  yield { type: "finish", response: withRequestId(end.response, opened) };
}

function checkedAnswer(body: unknown, service: Service, opened: OpenedCall): JsonRecord {
  if (!isRecord(body)) throw opened.errorOf({ message: "an answer that is not a JSON object" });
  const reported = service.readError(body);
  if (reported !== undefined) throw opened.errorOf(reported);
  return body;
}

function withRequestId(response: ModelResponse, { requestId }: OpenedCall): ModelResponse {
  return requestId === undefined ? response : { ...response, requestId };
}
