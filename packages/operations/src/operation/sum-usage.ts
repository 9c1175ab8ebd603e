import type { ModelUsage } from "@ccl/core";

const keys = [
  "inputTokens",
  "outputTokens",
  "reasoningTokens",
  "cachedInputTokens",
  "cacheWriteTokens",
  "costUsd",
] as const;

/** Adds the usages that calls of models report. Undefined if none of them reports one. */
export function sumUsage(
  calls: readonly { usage?: ModelUsage | undefined }[] = [],
): ModelUsage | undefined {
  const [first, ...others] = calls.flatMap(({ usage }) => usage ?? []);
  if (first === undefined) return undefined;
  const total: ModelUsage = { ...first };
  for (const usage of others)
    for (const key of keys)
      if (usage[key] !== undefined) total[key] = (total[key] ?? 0) + usage[key];
  return total;
}
