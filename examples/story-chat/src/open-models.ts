import type { LanguageModel } from "@ccl/core";
import { createOpenAiCompatibleModel } from "@ccl/providers/openai-compatible";

import { createReplayedModels, type Purpose } from "./replayed-model.ts";

/** The models of the story. */
export interface StoryModels {
  of(purpose: Purpose): LanguageModel;
  /** False for an endpoint, whose words nobody knows beforehand. */
  isRecorded: boolean;
}

/** The endpoint that the environment names for everything, or the recorded answers, see `createReplayedModels`. */
export async function openModels(options: { repeats?: boolean } = {}): Promise<StoryModels> {
  const { CCL_MODEL_BASE_URL: baseUrl, CCL_MODEL: name } = process.env;
  if (baseUrl === undefined) return { of: await createReplayedModels(options), isRecorded: true };
  if (name === undefined)
    throw new Error("CCL_MODEL_BASE_URL is set and CCL_MODEL is not; name the model.");
  const model = createOpenAiCompatibleModel({
    baseUrl,
    model: name,
    apiKeyVariable: "CCL_MODEL_API_KEY",
  });
  return { of: () => model, isRecorded: false };
}
