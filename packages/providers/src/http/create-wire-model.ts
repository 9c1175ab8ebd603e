import { traced } from "@ccl/core/tracing";
import {
  type Issue,
  LanguageModelError,
  type ModelCapabilities,
  type ModelDelta,
  type ModelRequest,
  type ModelResponse,
  type StreamingModel,
} from "@ccl/core";
import { type JsonRecord, withoutUndefined } from "@ccl/core/json";

import { chatAttributes, responseAttributes, tracedStream } from "./trace-call.ts";
import { collectLosses, type WireLoss } from "../wire/losses.ts";
import { WireError } from "../wire/wire-error.ts";
import { checkedAnswer } from "./call-error.ts";
import { openCall, type OpenedCall } from "./open-call.ts";
import { asksForFormat } from "./reported-error.ts";
import { type Framing, readFrames } from "./read-frames.ts";
import { createRefusedParameters } from "./refused-parameters.ts";
import { type CallLimits, runCall, serviceLimits, streamCall } from "./run-call.ts";
import type { Service } from "./service.ts";
import { wholeDeltas } from "./whole-deltas.ts";

/** Puts the events of one stream together. */
export interface StreamReader {
  push(event: JsonRecord): ModelDelta[];
  /** True once nothing of the answer can follow, whatever the connection does. */
  isEnded?(): boolean;
  /** The whole answer; undefined when the stream ended before the answer did. */
  finish(): { deltas: ModelDelta[]; response: ModelResponse } | undefined;
}

/** How a body is written. */
export interface BodyOptions {
  isStreaming: boolean;
  report: (loss: WireLoss) => void;
}

/** One provider's wire format for chat. */
export interface Wire {
  path: string;
  framing: Framing;
  /** Fields that `toBody` writes and the format does not have: left out, with a warning. */
  absent?: readonly string[];
  /** @throws WireError or LanguageModelError for what the format can't express. */
  toBody(request: ModelRequest, call: BodyOptions): JsonRecord;
  toResponse(body: JsonRecord): ModelResponse;
  createReader(): StreamReader;
}

/** A model over one wire format. Each call is one HTTP request. */
export function createWireModel(
  service: Service,
  wire: Wire,
  named: { modelId: string; capabilities?: ModelCapabilities | undefined },
): StreamingModel {
  const { provider } = service;
  const limitsOf = ({ signal, timeoutMs }: ModelRequest): CallLimits => ({
    ...serviceLimits(service, wire.path),
    signal,
    ...withoutUndefined({ timeoutMs }),
  });
  const refused = createRefusedParameters(named.modelId, wire.absent);
  const open = async (
    request: ModelRequest,
    isStreaming: boolean,
    signal: AbortSignal,
  ): Promise<Answered> => {
    const { warnings: lost, report } = collectLosses();
    const asked = convert(() => wire.toBody(request, { isStreaming, report }));
    for (;;) {
      const { body, warnings } = refused.applyTo(asked);
      const call = { path: wire.path, body, asksForFormat: asksForFormat(request), signal };
      try {
        return { ...(await openCall(service, call)), warnings: [...lost, ...warnings] };
      } catch (error) {
        if (!LanguageModelError.isInstance(error) || !refused.learnFrom(error, body)) throw error;
      }
    }
  };
  return {
    provider,
    ...withoutUndefined({ modelId: named.modelId, capabilities: named.capabilities }),
    generate: (request) =>
      traced(`chat ${named.modelId}`, chatAttributes(provider, named.modelId), async (span) => {
        const response = await runCall(limitsOf(request), async (signal) => {
          const opened = await open(request, false, signal);
          return completed(wire.toResponse(await opened.json()), opened);
        });
        span.set(responseAttributes(response));
        return response;
      }),
    stream: (request) =>
      tracedStream(
        streamCall(limitsOf(request), async function* (signal) {
          yield* readDeltas(await open(request, true, signal), service, wire);
        }),
        { provider, modelId: named.modelId },
      ),
  };
}

type Answered = OpenedCall & { warnings: Issue[] };

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
  opened: Answered,
  service: Service,
  wire: Wire,
): AsyncGenerator<ModelDelta> {
  const reader = wire.createReader();
  for await (const { text, isWhole } of readFrames(opened.chunks(), wire.framing)) {
    if (text === "[DONE]") break;
    const body = checkedAnswer(text, service, opened.errorOf);
    // A server that can't stream answers at once.
    if (isWhole) return yield* wholeDeltas(completed(wire.toResponse(body), opened));
    yield* reader.push(body);
    if (reader.isEnded?.() === true) break;
  }
  const end = reader.finish();
  if (end === undefined) throw new TypeError("The stream ended before the answer did.");
  yield* end.deltas;
  yield { type: "finish", response: completed(end.response, opened) };
}

function completed(response: ModelResponse, { requestId, warnings }: Answered): ModelResponse {
  return withoutUndefined({
    ...response,
    requestId: requestId ?? response.requestId,
    warnings: warnings.length > 0 ? warnings : response.warnings,
  });
}
