import type { Embedder } from "@ccl/core";
import { createSearchIndex } from "@ccl/search";

import type { DerivedCache } from "../registry/alias-registry.ts";
import type { FileFacts } from "./file-facts.ts";

const MAX_EMBEDDED_CHARS = 1_000;
const BATCH = 64;

/**
 * Scores how close each file is to the task in meaning. The closest file scores 1. Files at or
 * below the average score 0.
 */
export async function scoreMeaning(
  files: readonly FileFacts[],
  options: {
    task: string;
    embedder: Embedder;
    cache: DerivedCache;
    signal?: AbortSignal | undefined;
  },
): Promise<number[]> {
  const { task, embedder, cache, signal } = options;
  const [wanted = new Float32Array()] = await embedder.embed([task], { signal });
  const kind = `vector-${embedder.name}`.replaceAll(/[^\w.-]/g, "_");
  const missing = files.filter(({ sha256 }) => cache.get(kind, sha256) === undefined);
  for (let at = 0; at < missing.length; at += BATCH) {
    const batch = missing.slice(at, at + BATCH);
    const texts = batch.map(({ path, declarations }) =>
      `${path} ${declarations}`.slice(0, MAX_EMBEDDED_CHARS),
    );
    const vectors = await embedder.embed(texts, { signal });
    for (const [index, { sha256 }] of batch.entries())
      cache.set(kind, sha256, (vectors[index] ?? []).join(" "));
  }
  const index = createSearchIndex({ fields: {} });
  await index.put(
    files.map(({ sha256 }, at) => {
      const vector = Float32Array.from((cache.get(kind, sha256) ?? "").split(" ").map(Number));
      return { id: String(at), texts: {}, vector };
    }),
  );
  const hits = index.searchVector({ vector: wanted, limit: files.length });
  const mean = hits.reduce((sum, { score }) => sum + score, 0) / files.length;
  const range = (hits[0]?.score ?? mean) - mean;
  const meaning = files.map(() => 0);
  for (const { id, score } of hits)
    if (range > 0) meaning[Number(id)] = Math.max(0, score - mean) / range;
  return meaning;
}
