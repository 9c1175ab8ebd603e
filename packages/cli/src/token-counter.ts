import { readFile } from "node:fs/promises";

import type { CounterSource } from "@ccl/aliases";
import { estimatedCounter, type TokenCounter } from "@ccl/core";

/** How `--model-encoding` counts. */
export type Encoding = "o200k_base" | "cl100k_base" | "estimate";

/** Loads the tables of an exact encoding only when something is counted. */
export function counterOf(encoding: Encoding): CounterSource {
  if (encoding === "estimate") {
    const { name, isExact } = estimatedCounter;
    return { name, isExact, open: async () => estimatedCounter };
  }
  let opened: Promise<TokenCounter> | undefined;
  return { name: encoding, isExact: true, open: () => (opened ??= openExact(encoding)) };
}

async function openExact(encoding: Exclude<Encoding, "estimate">): Promise<TokenCounter> {
  const vocabulary = new URL(`../dist/vocabulary/${encoding}.bin`, import.meta.url);
  const [{ createBpeCounter }, bytes] = await Promise.all([
    import("@ccl/core/bpe"),
    readFile(vocabulary),
  ]);
  return await createBpeCounter(encoding, { vocabulary: bytes });
}
