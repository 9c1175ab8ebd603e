import type { FitState } from "@ccl/context-compiler";

import { branchKey } from "../ports/branch-key.ts";
import type { PromptFitter } from "../ports/prompt-fitter.ts";

const keptBranches = 1_000;

/**
 * Fits prompts by `fitMessages` of @ccl/context-compiler, which is loaded with the first one. What was cut off a branch
 * stays cut for as long as the process lives; another process cuts anew, once.
 */
export function createCompilerFitter(): PromptFitter {
  const states = new Map<string, FitState>();
  return {
    async fit({ messages, turnStart, budget, counter, tools, signal, ...branch }) {
      const { fitMessages } = await import("@ccl/context-compiler");
      signal.throwIfAborted();
      const key = branchKey(branch);
      const fitted = fitMessages(messages, {
        budget,
        counter,
        safetyMargin: 0,
        tools,
        state: states.get(key),
        pin: (_, index) => index === turnStart,
      });
      states.delete(key);
      states.set(key, fitted.state);
      const [oldest] = states.size > keptBranches ? states.keys() : [];
      if (oldest !== undefined) states.delete(oldest);
      return fitted.messages;
    },
  };
}
