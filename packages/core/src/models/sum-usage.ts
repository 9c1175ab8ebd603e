import type { ModelUsage } from "./language-model.ts";

const keys = [
  "inputTokens",
  "outputTokens",
  "reasoningTokens",
  "cachedInputTokens",
  "cacheWriteTokens",
  "costUsd",
] as const;

/** Adds the usages of model calls. Optional counts are present if any call has them. Undefined if no call reports a usage. */
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
