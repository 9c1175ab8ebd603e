import type { LanguageModel } from "@ccl/core";
import { findModel } from "@ccl/providers/environment";

import { createReplayedModels, type Purpose } from "./replayed-model.ts";

/** The models of the story. */
export interface StoryModels {
  of(purpose: Purpose): LanguageModel;
  /** False for a real endpoint, whose answers are not known in advance. */
  isRecorded: boolean;
}

/** The model of this machine for everything, or the recorded answers, see `createReplayedModels`. */
export async function openModels(options: { repeats?: boolean } = {}): Promise<StoryModels> {
  const { env } = process;
  const found = env["CCL_MODEL"] === "recorded" ? undefined : await findModel({ env });
  if (found !== undefined) return { of: () => found.model, isRecorded: false };
  return { of: await createReplayedModels(options), isRecorded: true };
}
