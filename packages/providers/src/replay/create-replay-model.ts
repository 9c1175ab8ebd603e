import {
  type FinishReason,
  type LanguageModel,
  LanguageModelError,
  type ModelRequest,
  type ModelResponse,
  type ProviderFields,
  type StreamingModel,
  canonicalJson,
  redactSecrets,
  sha256Hex,
} from "@ccl/core";
import { throwIfAborted } from "@ccl/core/async";
import {
  arrayAt,
  isRecord,
  numberAt,
  parseJson,
  recordAt,
  stringAt,
  toBase64,
  valueAt,
  withoutUndefined,
} from "@ccl/core/json";
import { wholeDeltas } from "../http/whole-deltas.ts";
import { tokenUsage } from "../wire/wire-fields.ts";
import { ReplayError } from "./replay-error.ts";

/** Stores a recording, for example in a file. */
export interface ReplayStore {
  /** Returns undefined if no recording exists yet. */
  read(): Promise<string | undefined>;
  write(text: string): Promise<void>;
}

/** The recording, and the model to call while recording. */
export interface ReplayOptions {
  store: ReplayStore;
  /** Called once for each request that is not in the recording. Without a model, such a request is an error. */
  model?: LanguageModel | undefined;
}

/**
 * Creates a model that answers from a recording. Removes secrets from stored requests and answers. The recording run
 * gets the same answers as later runs. A stream yields the recorded answer in one piece.
 */
export function createReplayModel({ store, model }: ReplayOptions): StreamingModel {
  let reading: Promise<Recording> | undefined;
  let writing: Promise<void> = Promise.resolve();
  const pending = new Map<string, Promise<ModelResponse>>();

  const open = async (): Promise<Recording> => {
    const text = await store.read();
    return text === undefined ? new Map() : readRecording(text);
  };
  const record = async (
    request: ModelRequest,
    key: string,
    asked: LanguageModel,
  ): Promise<ModelResponse> => {
    const response = readResponse(key, redactValue(await asked.generate(request)));
    const recording = await (reading ??= open());
    recording.set(key, { request: recordedRequest(request), response });
    const save = (): Promise<void> => store.write(writeRecording(recording));
    writing = writing.then(save, save);
    await writing;
    return response;
  };
  const generate = async (request: ModelRequest): Promise<ModelResponse> => {
    throwIfAborted(request.signal, LanguageModelError);
    const recording = await (reading ??= open());
    const key = sha256Hex(canonicalJson(recordedRequest(request)));
    const known = recording.get(key);
    if (known !== undefined) return structuredClone(known.response);
    if (model === undefined) throw unknownRequest(key, recording);
    const running =
      pending.get(key) ?? record(request, key, model).finally(() => pending.delete(key));
    pending.set(key, running);
    return structuredClone(await running);
  };
  return {
    provider: model?.provider ?? "replay",
    modelId: model?.modelId ?? "replay",
    generate,
    async *stream(request) {
      yield* wholeDeltas(await generate(request));
    },
  };
}

function unknownRequest(key: string, recording: Recording): ReplayError {
  const message = `The recording has ${recording.size} answers and none for the request ${key.slice(0, 8)}; pass \`model\` once to record it.`;
  return new ReplayError("unknown_request", message, {
    details: { key, known: [...recording.keys()].sort() },
  });
}

const version = 1;

/** Recorded requests and answers, by the SHA-256 of the recorded request's canonical JSON. */
type Recording = Map<string, { request: unknown; response: ModelResponse }>;

/**
 * Returns the fields that identify a request. Leaves out secrets, limits, signals, and the ids and sources of messages.
 */
function recordedRequest(request: ModelRequest): unknown {
  const { signal: _signal, timeoutMs: _timeoutMs, tools, messages, ...rest } = request;
  return redactValue({
    ...rest,
    messages: messages.map(({ id: _id, source: _source, ...message }) => message),
    tools: tools?.map(({ name, description, inputSchema }) => ({ name, description, inputSchema })),
  });
}

/** Writes indented JSON sorted by key, so that equal recordings are byte-identical. */
function writeRecording(recording: Recording): string {
  const sorted = [...recording].sort(([left], [right]) => (left < right ? -1 : 1));
  const entries = Object.fromEntries(sorted);
  const ordered: unknown = JSON.parse(canonicalJson({ version, entries }));
  return `${JSON.stringify(ordered, undefined, 2)}\n`;
}

/**
 * Parses a recording.
 * @throws ReplayError `recording_invalid` if the text is not a recording
 */
function readRecording(text: string): Recording {
  const file = parseJson(text);
  if (!isRecord(file) || file["version"] !== version || !isRecord(file["entries"])) {
    const message = `The store contains no recording of version ${version}; delete it and record again.`;
    throw new ReplayError("recording_invalid", message);
  }
  const entries = Object.entries(file["entries"]);
  return new Map(
    entries.map(([key, entry]) => [
      key,
      {
        request: valueAt(entry, ["request"]),
        response: readResponse(key, recordAt(entry, "response")),
      },
    ]),
  );
}

const finishReasons: readonly FinishReason[] = [
  "stop",
  "length",
  "tool_calls",
  "content_filter",
  "other",
];

/**
 * Reads a recorded answer.
 * @throws ReplayError `recording_invalid` if the answer is incomplete
 */
function readResponse(key: string, value: unknown): ModelResponse {
  const text = stringAt(value, "text");
  const usage = recordAt(value, "usage");
  const finishReason = finishReasons.find((one) => one === stringAt(value, "finishReason"));
  if (text === undefined || finishReason === undefined) {
    throw new ReplayError(
      "recording_invalid",
      `The entry ${key} has no complete answer; delete it and record again.`,
    );
  }
  return withoutUndefined({
    text,
    reasoning: stringAt(value, "reasoning"),
    toolCalls: arrayAt(value, "toolCalls").map((call) => ({
      id: stringAt(call, "id") ?? "",
      name: stringAt(call, "name") ?? "",
      arguments: stringAt(call, "arguments") ?? "",
      ...metadataIn(call),
    })),
    finishReason,
    usage: tokenUsage(
      Object.fromEntries(Object.keys(usage).map((key) => [key, numberAt(usage, key)])),
    ),
    requestId: stringAt(value, "requestId"),
    ...metadataIn(value),
  });
}

function metadataIn(owner: unknown): ProviderFields {
  const providerMetadata = valueAt(owner, ["providerMetadata"]);
  return isRecord(providerMetadata) ? { providerMetadata } : {};
}

/** Removes secrets from the strings of a JSON value, also judging by field names. Converts bytes to base64. */
function redactValue(value: unknown): unknown {
  if (typeof value === "string") return redactSecrets(value).text;
  if (value instanceof Uint8Array) return { base64: toBase64(value) };
  if (Array.isArray(value)) return value.map(redactValue);
  if (!isRecord(value)) return value;
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .map(([name, member]): [string, unknown] => [
      redactSecrets(name).text,
      typeof member === "string" ? redactMember(name, member) : redactValue(member),
    ]);
  return Object.fromEntries(members);
}

// A harmless-looking value may be a secret because of its name.
function redactMember(name: string, text: string): string {
  const bare = redactSecrets(text).text;
  const pair = JSON.stringify({ [name]: bare });
  const redacted = redactSecrets(pair).text;
  if (redacted === pair) return bare;
  const read = parseJson(redacted);
  const [member] = isRecord(read) ? Object.values(read) : [];
  return typeof member === "string" ? member : "[redacted:secret_value]";
}
