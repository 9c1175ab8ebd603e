import { sha256Hex, type ChatMessage } from "@ccl/core";
import type { FitState } from "@ccl/context-compiler";

import { branchKey } from "../ports/branch-key.ts";
import type { PromptFitter } from "../ports/prompt-fitter.ts";
import { leadCountOf } from "./base-layout.ts";

/** The messages trimmed from a branch, and the history that they came from. */
interface Remembered {
  state: FitState;
  length: number;
  hash: string;
}

const keptBranches = 1_000;

/**
 * Fits prompts with `fitMessages` of @ccl/context-compiler, which is loaded on first use. Trimmed messages stay trimmed
 * while the process lives and the branch only grows. After an edit of earlier messages, or in another process, the
 * history is trimmed again.
 */
export function createCompilerFitter(): PromptFitter {
  const cuts = new Map<string, Remembered>();
  return {
    async fit({ messages, turnStart, budget, counter, tools, signal, ...branch }) {
      const { fitMessages } = await import("@ccl/context-compiler");
      signal.throwIfAborted();
      const key = branchKey(branch);
      const known = cuts.get(key);
      const history = historyOf(messages);
      const isUnchanged =
        known !== undefined && hashOf(history.slice(0, known.length)) === known.hash;
      const fitted = fitMessages(messages, {
        budget,
        counter,
        safetyMargin: 0,
        tools,
        // The state contains words from the trimmed messages, so it must not outlive an edit of them.
        state: isUnchanged ? known.state : undefined,
        pin: (_, index) => index === turnStart,
      });
      const seen = historyOf(messages.slice(0, turnStart));
      cuts.delete(key);
      cuts.set(key, { state: fitted.state, length: seen.length, hash: hashOf(seen) });
      const [oldest] = cuts.size > keptBranches ? cuts.keys() : [];
      if (oldest !== undefined) cuts.delete(oldest);
      return fitted.messages;
    },
  };
}

/** Omits the system prompt, which changes from turn to turn. */
function historyOf(messages: readonly ChatMessage[]): readonly ChatMessage[] {
  return messages.slice(leadCountOf(messages));
}

function hashOf(messages: readonly ChatMessage[]): string {
  return sha256Hex(JSON.stringify(messages));
}
