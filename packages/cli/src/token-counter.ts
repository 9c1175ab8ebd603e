import { readFile } from "node:fs/promises";

import { estimatedCounter, type TokenCounter } from "@ccl/core";

/** How `--model-encoding` counts. */
export type Encoding = "o200k_base" | "cl100k_base" | "estimate";

/** Opens a counter. Loads the tables of an exact encoding. */
export async function openCounter(encoding: Encoding): Promise<TokenCounter> {
  if (encoding === "estimate") return estimatedCounter;
  const vocabulary = new URL(`../dist/vocabulary/${encoding}.bin`, import.meta.url);
  const [{ createBpeCounter }, bytes] = await Promise.all([
    import("@ccl/core/bpe"),
    readFile(vocabulary),
  ]);
  return await createBpeCounter(encoding, { vocabulary: bytes });
}
