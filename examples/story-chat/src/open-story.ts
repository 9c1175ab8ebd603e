import type { ChatMessage, LanguageModel } from "@ccl/core";
import {
  createRunEngine,
  type ChatStore,
  type OperationContext,
  type RunEngine,
  type RunEngineOptions,
  type RunStore,
} from "@ccl/operations";

import type { StoryModels } from "./open-models.ts";
import { createStoryRegistry } from "./story-profile.ts";

/** Where a story is stored. */
export interface StoryStores {
  runs: RunStore;
  chat: ChatStore;
}

/** An engine for the story. */
export interface Story {
  engine: RunEngine;
  stores: StoryStores;
  /** The prompts of all main calls of this process, in order. */
  prompts: ChatMessage[][];
}

/** Further options of a story. */
interface StoryOptions extends Pick<RunEngineOptions, "executor" | "onPrompt"> {
  /** Called for each call of an operation. */
  onExecution?: (context: OperationContext) => void;
}

/** Opens the story over these stores. */
export function openStory(
  models: StoryModels,
  stores: StoryStores,
  { onExecution, ...options }: StoryOptions = {},
): Story {
  const prompts: ChatMessage[][] = [];
  const main = models.of("main");
  const { stream } = main;
  const mainModel: LanguageModel = {
    ...main,
    generate: async (request) => {
      prompts.push(request.messages);
      return main.generate(request);
    },
    ...(stream && {
      stream: (request) => {
        prompts.push(request.messages);
        return stream.call(main, request);
      },
    }),
  };
  // Short leases, so that a run of a killed process continues soon.
  const limits = { deltaIntervalMs: 30, leaseMs: 1_000, pollMs: 50 };
  return {
    engine: createRunEngine({
      registry: createStoryRegistry(models, onExecution),
      mainModel,
      limits,
      ...stores,
      ...options,
    }),
    stores,
    prompts,
  };
}

/** The branch of the story. */
export const branch = { chatId: "mill", branchId: "main" };
