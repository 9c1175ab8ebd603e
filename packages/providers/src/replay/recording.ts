import {
  canonicalJson,
  type FinishReason,
  type ModelRequest,
  type ModelResponse,
  type ProviderFields,
  sha256Hex,
} from "@ccl/core";
import {
  arrayAt,
  isRecord,
  type JsonRecord,
  numberAt,
  parseJson,
  recordAt,
  stringAt,
  withoutUndefined,
} from "@ccl/core/json";

import { redactValue } from "./redact-value.ts";
import { ReplayError } from "./replay-error.ts";

const version = 1;

/** The requests and answers of a recording, by the request's key. */
export type Recording = Map<string, { request: unknown; response: ModelResponse }>;

/** What a request asks, without secrets and without what changes nothing: limits, signals, ids and sources of messages. */
export function recordedRequest(request: ModelRequest): unknown {
  const { signal: _signal, timeoutMs: _timeoutMs, tools, messages, ...rest } = request;
  return redactValue({
    ...rest,
    messages: messages.map(({ id: _id, source: _source, ...message }) => message),
    tools: tools?.map(({ name, description, inputSchema }) => ({ name, description, inputSchema })),
  });
}

/** The key of a recorded request: SHA-256 of its canonical JSON. */
export function keyOf(recorded: unknown): string {
  return sha256Hex(canonicalJson(recorded));
}

/** Pretty JSON, entries by key: the same recording gives the same bytes. */
export function writeRecording(recording: Recording): string {
  const sorted = [...recording].sort(([left], [right]) => (left < right ? -1 : 1));
  const entries = Object.fromEntries(sorted);
  const ordered: unknown = JSON.parse(canonicalJson({ version, entries }));
  return `${JSON.stringify(ordered, undefined, 2)}\n`;
}

/** @throws ReplayError `recording_invalid` for a text that is no recording. */
export function readRecording(text: string): Recording {
  const file = parseJson(text);
  if (!isRecord(file) || file["version"] !== version || !isRecord(file["entries"])) {
    const message = `The store holds no recording of version ${version}; delete it and record again.`;
    throw new ReplayError("recording_invalid", message);
  }
  const entries = Object.entries(file["entries"]);
  return new Map(
    entries.map(([key, entry]) => [
      key,
      {
        request: recordAt({ entry }, "entry")["request"],
        response: readResponse(key, recordAt(entry, "response")),
      },
    ]),
  );
}

const finishReasons = new Map<string, FinishReason>([
  ["stop", "stop"],
  ["length", "length"],
  ["tool_calls", "tool_calls"],
  ["content_filter", "content_filter"],
  ["other", "other"],
]);

/** @throws ReplayError `recording_invalid` for what is no whole answer. */
export function readResponse(key: string, value: unknown): ModelResponse {
  const response = recordAt({ value }, "value");
  const text = stringAt(response, "text");
  const finishReason = finishReasons.get(stringAt(response, "finishReason") ?? "");
  if (text === undefined || finishReason === undefined) {
    throw new ReplayError(
      "recording_invalid",
      `The entry ${key} has no whole answer; delete it and record again.`,
    );
  }
  return withoutUndefined({
    text,
    reasoning: stringAt(response, "reasoning"),
    toolCalls: arrayAt(response, "toolCalls").map((call) => ({
      id: stringAt(call, "id") ?? "",
      name: stringAt(call, "name") ?? "",
      arguments: stringAt(call, "arguments") ?? "",
      ...metadataIn(call),
    })),
    finishReason,
    usage: isRecord(response["usage"]) ? usageOf(response["usage"]) : undefined,
    requestId: stringAt(response, "requestId"),
    ...metadataIn(response),
  });
}

function metadataIn(owner: unknown): ProviderFields {
  const { providerMetadata } = recordAt({ owner }, "owner");
  return isRecord(providerMetadata) ? { providerMetadata } : {};
}

function usageOf(usage: JsonRecord): NonNullable<ModelResponse["usage"]> {
  return withoutUndefined({
    inputTokens: numberAt(usage, "inputTokens") ?? 0,
    outputTokens: numberAt(usage, "outputTokens") ?? 0,
    reasoningTokens: numberAt(usage, "reasoningTokens"),
    cachedInputTokens: numberAt(usage, "cachedInputTokens"),
    cacheWriteTokens: numberAt(usage, "cacheWriteTokens"),
    costUsd: numberAt(usage, "costUsd"),
  });
}
