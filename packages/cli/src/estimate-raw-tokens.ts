import { setImmediate } from "node:timers/promises";

import type { AliasRegistry, AliasStat } from "@ccl/aliases";
import { estimatedCounter } from "@ccl/core";

const FILES_A_TURN = 200;
const KIND = "estimate";

/** Tokens of all named files in full, by the fast estimator: the figure is for comparison only. */
export async function estimateRawTokens(
  registry: AliasRegistry,
  signal: AbortSignal,
): Promise<number> {
  let tokens = 0;
  for (const [index, stat] of (await registry.stat({ signal })).entries()) {
    // Signals arrive between turns of the event loop only.
    if (index % FILES_A_TURN === 0) await setImmediate(undefined, { signal });
    tokens += await estimateFileTokens(stat, registry, signal);
  }
  return tokens;
}

/** Tokens of one file in full; 0 for a binary one. */
export async function estimateFileTokens(
  stat: AliasStat,
  registry: AliasRegistry,
  signal: AbortSignal,
): Promise<number> {
  const { alias, sha256, isBinary } = stat;
  if (sha256 === undefined || isBinary) return 0;
  const known = registry.cache.get(KIND, sha256);
  if (known !== undefined) return Number(known);
  const content = await registry.resolve(alias, { signal });
  if (!content.ok || content.value.text === undefined) return 0;
  const tokens = estimatedCounter.count(content.value.text);
  registry.cache.set(KIND, content.value.sha256, String(tokens));
  return tokens;
}
