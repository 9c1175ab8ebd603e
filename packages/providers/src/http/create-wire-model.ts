import {
  type Issue,
  LanguageModelError,
  type ModelCapabilities,
  type ModelDelta,
  type ModelRequest,
  type ModelResponse,
  type StreamingModel,
} from "@ccl/core";
import { withTimeout } from "@ccl/core/async";
import { type JsonRecord, stringAt, withoutUndefined } from "@ccl/core/json";
import { type TraceAttributes, traced, type TraceSpan } from "@ccl/core/tracing";
import { type WireLoss, collectLosses } from "../wire/losses.ts";
import { WireError } from "../wire/wire-error.ts";
import { checkedAnswer, cutError, nameOf } from "./call-error.ts";
import { callUrl } from "./endpoint.ts";
import { type OpenedCall, openCall } from "./open-call.ts";
import { readFrames } from "./read-frames.ts";
import { createRefusedParameters } from "./refused-parameters.ts";
import { asksForFormat, emptyAnswer } from "./reported-error.ts";
import { type CallLimits, runCall, serviceLimits, streamCall } from "./run-call.ts";
import type { Service } from "./service.ts";
import { type TextDelta, streamDeltas } from "./whole-deltas.ts";

/** Assembles the events of one stream. */
export interface StreamReader {
  /** Returns the text that the event adds. All other content waits for the whole answer. */
  push(event: JsonRecord): TextDelta[];
  /** Returns true if the answer is complete, even if the connection stays open. */
  isEnded?(): boolean;
  /** Returns true if the answer is complete unless the server soon sends more. */
  mayBeEnded?(): boolean;
  /**
   * Returns the body that a call without streaming would return. Undefined if the stream ended without a final event or
   * `[DONE]`.
   */
  toBody(isDone: boolean): JsonRecord | undefined;
}

/** Settings of one body. */
export interface BodyOptions {
  isStreaming: boolean;
  report: (loss: WireLoss) => void;
}

/** One provider's wire format for chat. */
export interface Wire {
  path: string;
  /** The path for streaming calls, if it differs. */
  streamPath?: string;
  /** Fields that `toBody` writes but the server does not support. They are removed with a warning. */
  absent?: readonly string[];
  /** @throws WireError or LanguageModelError if the format cannot express the request. */
  toBody(request: ModelRequest, call: BodyOptions): JsonRecord;
  /** Returns undefined if the body holds no answer. */
  toResponse(body: JsonRecord): ModelResponse | undefined;
  createReader(): StreamReader;
}

/**
 * Creates a model for one wire format. If the provider rejects an optional parameter, sends the call again without it.
 */
export function createWireModel(
  service: Service,
  wire: Wire,
  named: { modelId: string; capabilities?: ModelCapabilities | undefined },
): StreamingModel {
  const { provider } = service;
  const limitsOf = ({ signal, timeoutMs }: ModelRequest): CallLimits => ({
    ...serviceLimits(service, wire.path),
    ...withoutUndefined({ signal, timeoutMs }),
  });
  const { modelId, capabilities } = named;
  const refused = createRefusedParameters(modelId, wire.absent);
  const open = async (
    request: ModelRequest,
    isStreaming: boolean,
    span: TraceSpan,
    signal: AbortSignal,
  ): Promise<Answered> => {
    const { warnings: lost, report } = collectLosses();
    const asked = convert(() => wire.toBody(request, { isStreaming, report }));
    for (;;) {
      const { body, warnings } = refused.applyTo(asked);
      const path = isStreaming ? (wire.streamPath ?? wire.path) : wire.path;
      try {
        const opened = await openCall(service, {
          path,
          body,
          asksForFormat: asksForFormat(request),
          signal,
        });
        return { ...opened, span, warnings: [...lost, ...warnings] };
      } catch (error) {
        if (!LanguageModelError.isInstance(error) || !refused.learnFrom(error, body)) throw error;
      }
    }
  };
  return {
    provider,
    ...withoutUndefined({ modelId, capabilities }),
    generate: (request) =>
      traced(...chatSpan(service, modelId, request), (span) =>
        runCall(limitsOf(request), async (signal) => {
          const opened = await open(request, false, span, signal);
          return answerIn(await opened.json(), opened, wire);
        }),
      ),
    async *stream(request) {
      let end = (_outcome?: unknown): void => {};
      const ended = new Promise((resolve) => {
        end = resolve;
      });
      // Prevents an unhandled rejection if no tracer is set.
      ended.catch(() => undefined);
      try {
        yield* traced(
          ...chatSpan(service, modelId, request),
          (span) => {
            span.set({ "gen_ai.request.stream": true });
            return streamCall(limitsOf(request), async function* (signal) {
              const opened = await open(request, true, span, signal);
              yield* readDeltas(opened, service, wire);
            });
          },
          () => ended,
        );
      } catch (error) {
        end(Promise.reject(error));
        throw error;
      } finally {
        end();
      }
    },
  };
}

type Answered = OpenedCall & { warnings: Issue[]; span: TraceSpan };

/**
 * Runs a message conversion.
 * @throws LanguageModelError `invalid_request` in place of a `WireError`
 */
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
  let whole: JsonRecord | undefined;
  let isDone = false;
  const readPieces = async function* (): AsyncGenerator<TextDelta> {
    const chunks = untilSilent(opened.chunks(), () => reader.mayBeEnded?.() === true);
    for await (const { text, isWhole } of readFrames(chunks)) {
      isDone = text === "[DONE]";
      if (isDone) return;
      const body = checkedAnswer(text, service, opened.errorOf);
      // A server that cannot stream sends the answer as one body.
      if (isWhole) whole = body;
      else yield* reader.push(body);
      if (reader.isEnded?.() === true) return;
    }
  };
  yield* streamDeltas(readPieces(), () => {
    const body = whole ?? reader.toBody(isDone);
    if (body === undefined) throw cutError(nameOf(service, wire.path));
    return answerIn(body, opened, wire);
  });
}

const silenceMs = 2_000;
const silence = new Error("The server sends nothing more.");

/** Ends a stream that goes silent once its answer may be complete. */
async function* untilSilent<Chunk>(
  chunks: AsyncGenerator<Chunk>,
  mayBeEnded: () => boolean,
): AsyncGenerator<Chunk> {
  const read = (): Promise<IteratorResult<Chunk>> => {
    const timeoutMs = mayBeEnded() ? silenceMs : undefined;
    return withTimeout(() => chunks.next(), { timeoutMs, onTimeout: () => silence });
  };
  try {
    for (let next = await read(); next.done !== true; next = await read()) yield next.value;
  } catch (error) {
    if (error !== silence) throw error;
  }
}

function answerIn(body: JsonRecord, opened: Answered, wire: Wire): ModelResponse {
  const response = wire.toResponse(body);
  if (response === undefined) throw opened.errorOf(emptyAnswer(body));
  const { requestId, warnings, span } = opened;
  span.set(responseAttributes(body, response));
  return withoutUndefined({
    ...response,
    requestId: requestId ?? response.requestId,
    warnings: warnings.length > 0 ? warnings : response.warnings,
  });
}

/** Host and provider names from the GenAI conventions. All other providers keep their own names. */
const providerNames: Record<string, string | undefined> = {
  "api.openai.com": "openai",
  "openai-responses": "openai",
  gemini: "gcp.gemini",
  mistral: "mistral_ai",
};

/** Returns the name and initial attributes of a call's span, following the GenAI conventions. */
function chatSpan(
  { provider, baseUrl }: Service,
  model: string,
  { responseFormat: format, ...request }: ModelRequest,
): [name: string, TraceAttributes] {
  const { hostname, port, protocol } = callUrl(baseUrl, "");
  const operation = provider === "gemini" ? "generate_content" : "chat";
  return [
    `${operation} ${model}`,
    {
      "gen_ai.operation.name": operation,
      "gen_ai.provider.name": providerNames[hostname] ?? providerNames[provider] ?? provider,
      "gen_ai.request.model": model,
      "server.address": hostname,
      "server.port": Number(port) || (protocol === "http:" ? 80 : 443),
      "gen_ai.output.type": format && (format.type === "text" ? "text" : "json"),
      "gen_ai.request.max_tokens": request.maxOutputTokens,
      "gen_ai.request.seed": request.seed,
      "gen_ai.request.temperature": request.temperature,
      "gen_ai.request.top_p": request.topP,
    },
  ];
}

/** Returns the attributes that the answer adds to the span. */
function responseAttributes(
  body: JsonRecord,
  { usage, finishReason }: ModelResponse,
): TraceAttributes {
  return {
    "gen_ai.response.finish_reasons": [finishReason],
    "gen_ai.response.id": stringAt(body, "id") ?? stringAt(body, "responseId"),
    "gen_ai.response.model": stringAt(body, "model") ?? stringAt(body, "modelVersion"),
    "gen_ai.usage.input_tokens": usage?.inputTokens,
    "gen_ai.usage.output_tokens": usage?.outputTokens,
    "gen_ai.usage.cache_read.input_tokens": usage?.cachedInputTokens,
    "gen_ai.usage.cache_creation.input_tokens": usage?.cacheWriteTokens,
    "gen_ai.usage.reasoning.output_tokens": usage?.reasoningTokens,
  };
}
