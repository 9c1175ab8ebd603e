import { readFile } from "node:fs/promises";

import type { LanguageModel } from "@ccl/core";
import { createOpenAiCompatibleModel } from "@ccl/providers/openai-compatible";
import { startTestServer } from "@ccl/providers/testing";

/** A model behind HTTP. */
export interface OpenedModel {
  model: LanguageModel;
  /** How many answers were recorded; undefined for a model that nobody recorded. */
  recordedAnswers: number | undefined;
  close(): Promise<void>;
}

/** The endpoint that the environment names, or a server on loopback that gives the recorded answers in their order. */
export async function openModel(): Promise<OpenedModel> {
  const { CCL_MODEL_BASE_URL: baseUrl, CCL_MODEL: name } = process.env;
  if (baseUrl !== undefined) {
    if (name === undefined)
      throw new Error("CCL_MODEL_BASE_URL is set and CCL_MODEL is not; name the model.");
    const model = createOpenAiCompatibleModel({
      baseUrl,
      model: name,
      apiKeyVariable: "CCL_MODEL_API_KEY",
    });
    return { model, recordedAnswers: undefined, close: async () => undefined };
  }
  const recorded: unknown = JSON.parse(
    await readFile(new URL("../recorded/answers.json", import.meta.url), "utf8"),
  );
  if (!Array.isArray(recorded)) throw new Error("recorded/answers.json is no list of answers.");
  const script = recorded.map((answer) => ({
    type: "answer" as const,
    text: JSON.stringify(answer),
  }));
  const server = await startTestServer({ script });
  const model = createOpenAiCompatibleModel({
    baseUrl: server.baseUrl("openai"),
    model: "recorded",
  });
  return { model, recordedAnswers: script.length, close: () => server.close() };
}
