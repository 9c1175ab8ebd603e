import { readFile } from "node:fs/promises";

import type { LanguageModel } from "@ccl/core";
import { createOpenAiCompatibleModel } from "@ccl/providers/openai-compatible";
import { startTestServer } from "@ccl/providers/testing";

/** A model behind HTTP. */
export interface OpenedModel {
  model: LanguageModel;
  /** False for a model whose answers nobody knows beforehand. */
  isRecorded: boolean;
  close(): Promise<void>;
}

/** The endpoint that the environment names, or a server on loopback that gives the recorded answers in their order. */
export async function openModel(recording = "answers.json"): Promise<OpenedModel> {
  const { CCL_MODEL_BASE_URL: baseUrl, CCL_MODEL: name } = process.env;
  if (baseUrl !== undefined) {
    if (name === undefined)
      throw new Error("CCL_MODEL_BASE_URL is set and CCL_MODEL is not; name the model.");
    const model = createOpenAiCompatibleModel({
      baseUrl,
      model: name,
      apiKeyVariable: "CCL_MODEL_API_KEY",
    });
    return { model, isRecorded: false, close: async () => undefined };
  }
  const recorded: unknown = JSON.parse(
    await readFile(new URL(`../recorded/${recording}`, import.meta.url), "utf8"),
  );
  if (!Array.isArray(recorded)) throw new Error(`recorded/${recording} is no list of answers.`);
  const script = recorded.map((answer) => ({
    type: "answer" as const,
    text: JSON.stringify(answer),
  }));
  const server = await startTestServer({ script });
  const model = createOpenAiCompatibleModel({
    baseUrl: server.baseUrl("openai"),
    model: "recorded",
  });
  return { model, isRecorded: true, close: () => server.close() };
}
