import type { LanguageModel } from "@ccl/core";
import { createOpenAiCompatibleModel } from "@ccl/providers/openai-compatible";
import { startTestServer, type TestBehaviour } from "@ccl/providers/testing";

/** A model behind HTTP, and what it was sent. */
export interface RecordedModel {
  model: LanguageModel;
  /** True for answers that are known beforehand. */
  isScripted: boolean;
  /** The bodies of the calls so far, as they came over the wire. */
  bodies(): Record<string, unknown>[];
  close(): Promise<void>;
}

/** The endpoint that the environment names, or a server on loopback that plays this script. */
export async function openModel(script: readonly TestBehaviour[]): Promise<RecordedModel> {
  const { CCL_MODEL_BASE_URL: baseUrl, CCL_MODEL: model } = process.env;
  if (baseUrl !== undefined) return openRealModel(baseUrl, model);
  const server = await startTestServer({ script });
  return {
    model: createOpenAiCompatibleModel({
      baseUrl: server.baseUrl("openai"),
      model: "scripted",
      timeoutMs: 10_000,
    }),
    isScripted: true,
    bodies: () => server.calls.map(({ body }) => body),
    close: () => server.close(),
  };
}

function openRealModel(baseUrl: string, model: string | undefined): RecordedModel {
  if (model === undefined)
    throw new Error("CCL_MODEL_BASE_URL is set and CCL_MODEL is not; name the model.");
  const sent: Record<string, unknown>[] = [];
  const recordingFetch: typeof fetch = (input, init) => {
    sent.push(JSON.parse(String(init?.body)));
    return fetch(input, init);
  };
  const options = {
    baseUrl,
    model,
    apiKeyVariable: "CCL_MODEL_API_KEY",
    timeoutMs: 90_000,
    fetch: recordingFetch,
  };
  const close = async (): Promise<void> => undefined;
  return {
    model: createOpenAiCompatibleModel(options),
    isScripted: false,
    bodies: () => sent,
    close,
  };
}
