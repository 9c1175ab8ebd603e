import {
  type LanguageModel,
  LanguageModelError,
  type ModelRequest,
  type ModelResponse,
  type StreamingModel,
} from "@ccl/core";

import { wholeDeltas } from "../http/whole-deltas.ts";
import {
  keyOf,
  type Recording,
  readRecording,
  readResponse,
  recordedRequest,
  writeRecording,
} from "./recording.ts";
import { redactValue } from "./redact-value.ts";
import { ReplayError } from "./replay-error.ts";

/** Where a recording is kept: a file, in the simplest case. */
export interface ReplayStore {
  /** Undefined while there is no recording. */
  read(): Promise<string | undefined>;
  write(text: string): Promise<void>;
}

/** What to replay, and whom to ask while recording. */
export interface ReplayOptions {
  store: ReplayStore;
  /** Asked for what the recording does not know, once; without it such a request is an error. */
  model?: LanguageModel | undefined;
  /** Default: those of `model`, else `replay`. */
  provider?: string | undefined;
  modelId?: string | undefined;
}

/**
 * A model that answers from a recording. Requests and answers are stored without secrets, and the recording run gets
 * what later runs will get. A stream gives the recorded answer in one piece.
 */
export function createReplayModel(options: ReplayOptions): StreamingModel {
  const { store, model } = options;
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
    if (request.signal?.aborted === true) {
      throw new LanguageModelError("aborted", "The call was aborted.", {
        cause: request.signal.reason,
      });
    }
    const recording = await (reading ??= open());
    const key = keyOf(recordedRequest(request));
    const known = recording.get(key);
    if (known !== undefined) return structuredClone(known.response);
    if (model === undefined) throw unknownRequest(key, recording);
    const running =
      pending.get(key) ?? record(request, key, model).finally(() => pending.delete(key));
    pending.set(key, running);
    return structuredClone(await running);
  };
  return {
    provider: options.provider ?? model?.provider ?? "replay",
    modelId: options.modelId ?? model?.modelId ?? "replay",
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
