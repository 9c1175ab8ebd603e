import type { ModelUsage } from "@ccl/core";

/** Adds two usages. An optional count is present if either has it. */
export function sumUsage(left: ModelUsage, right: ModelUsage): ModelUsage {
  const sum: ModelUsage = {
    inputTokens: left.inputTokens + right.inputTokens,
    outputTokens: left.outputTokens + right.outputTokens,
  };
  for (const name of ["cachedInputTokens", "cacheWriteTokens", "costUsd"] as const) {
    if (left[name] !== undefined || right[name] !== undefined)
      sum[name] = (left[name] ?? 0) + (right[name] ?? 0);
  }
  return sum;
}
