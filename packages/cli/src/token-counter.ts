import { estimatedCounter, type TokenCounter } from "@ccl/core";

/** How `--model-encoding` counts. */
export type Encoding = "o200k_base" | "cl100k_base" | "estimate";

/** Loads the tables of an exact encoding only when it is asked for. */
export async function openCounter(encoding: Encoding): Promise<TokenCounter> {
  if (encoding === "estimate") return estimatedCounter;
  const { createBpeCounter } = await import("@ccl/core/bpe");
  return await createBpeCounter(encoding);
}
