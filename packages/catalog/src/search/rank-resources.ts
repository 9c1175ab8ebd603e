import { systemClock, withDefaults, type Clock } from "@ccl/core";
import { fuseHits, type SearchFilter, type SearchHit, type TextHits } from "@ccl/search";

import type { ResourceRecord } from "../record/resource-record.ts";
import { addNeighbours, type ExplainedHit } from "./add-neighbours.ts";
import { defaultRankWeights, type RankWeights } from "./rank-weights.ts";
import { capabilitiesIn, capabilityOf, costOf, recencyOf, weighTerms } from "./score-terms.ts";
import type { SearchIndex } from "./search-index.ts";

/** Options of `rankResources`. */
export interface RankResourcesOptions {
  index: SearchIndex;
  /** The task or search words. They also indicate which capabilities the task needs. */
  text?: string | undefined;
  /** The task's embedding. Absent if there is no embedder, or if it failed. */
  vector?: Float32Array | undefined;
  filter?: SearchFilter | undefined;
  /** Maximum number of hits, including neighbours. */
  limit: number;
  /**
   * Returns the records of the ids, in any order. It leaves out ids that are unknown or that the
   * principal may not see.
   */
  lookup: (ids: readonly string[]) => Promise<readonly ResourceRecord[]>;
  weights?: Partial<RankWeights> | undefined;
  /** Recency is measured from the clock's time. The system clock by default. */
  clock?: Clock | undefined;
  signal?: AbortSignal | undefined;
}

/** The result of ranking. Hits are best first, and ties are sorted by id in code units. */
export interface RankedResources {
  hits: ExplainedHit[];
  /** Words of the text that no visible record has. */
  unmatchedTerms: string[];
  /** Share of the text's terms that the visible records have, weighted by rarity: 0..1. 1 if there is no text. */
  coverage: number;
}

/** Maximum number of records to add because foreign keys of the best hits name them. */
const maxNeighbours = 3;
const halfLifeDays = 30;
/** Minimum number of word hits and of vector hits to rank. Four times the limit is used if that is higher. */
const minCandidates = 50;
const minWithVector = 100;

/**
 * Searches words and vectors, fuses both, and adds records that foreign keys of the best hits name.
 * Without text and vector there are no hits. Errors of the index and the lookup are passed on.
 */
export async function rankResources(options: RankResourcesOptions): Promise<RankedResources> {
  const { limit, text = "", lookup } = options;
  const weights = withDefaults<Partial<RankWeights>>(defaultRankWeights, options.weights);
  const legs = await searchLegs(options);
  const ids = [...new Set([...legs.text.hits, ...legs.vector].map(({ id }) => id))];
  const records = new Map((await lookup(ids)).map((record) => [record.id, record]));
  const requested = capabilitiesIn(text);
  const nowMs = (options.clock ?? systemClock).now();
  const fused = fuseHits({
    text: legs.text.hits,
    vector: legs.vector,
    weights,
    extraOf: (id) => {
      const record = records.get(id);
      if (record === undefined) return undefined;
      const recency = recencyOf(record, nowMs, halfLifeDays);
      const capability = capabilityOf(record, requested);
      return weighTerms({ recency, capability, cost: costOf(record) }, weights);
    },
  });
  const hits = await addNeighbours(fused, {
    records,
    lookup,
    limit,
    maxNeighbours,
    share: weights.neighbour,
    filter: options.filter,
  });
  const { unmatchedTerms, coverage } = legs.text;
  return {
    hits: hits.slice(0, limit).filter(({ id }) => records.has(id)),
    unmatchedTerms,
    coverage,
  };
}

async function searchLegs(
  options: RankResourcesOptions,
): Promise<{ text: TextHits; vector: SearchHit[] }> {
  const { index, text = "", vector, limit, filter, signal } = options;
  const depth = Math.max(vector === undefined ? minCandidates : minWithVector, limit * 4);
  const found: TextHits =
    text.trim() === ""
      ? { hits: [], unmatchedTerms: [], coverage: 1 }
      : await index.searchText({ text, limit: depth, filter }, { signal });
  if (vector === undefined) return { text: found, vector: [] };
  const nearest = await index.searchVector({ vector, limit: depth, filter }, { signal });
  const known = new Set(nearest.map(({ id }) => id));
  const missing = found.hits.map(({ id }) => id).filter((id) => !known.has(id));
  if (missing.length === 0) return { text: found, vector: nearest };
  // Get the vector scores of hits that only the words found. They have passed the filter already.
  const others = await index.searchVector(
    { vector, limit: missing.length, filter: { allow: new Set(missing) } },
    { signal },
  );
  return { text: found, vector: [...nearest, ...others] };
}
