import { compareHits, sumOf, type SearchFilter } from "@ccl/search";

import type { ResourceRecord } from "../record/resource-record.ts";
import { foreignKeyTargets } from "./foreign-key-targets.ts";
import type { ScoreExplanation } from "./score-terms.ts";

/** A record with its score and how the score was computed. */
export interface ExplainedHit {
  id: string;
  /** Higher is better. Comparable only within one result. */
  score: number;
  explain: ScoreExplanation;
}

/** Options for adding neighbours. */
export interface AddNeighboursOptions {
  /** Records of the hits. Neighbours are added to it. */
  records: Map<string, ResourceRecord>;
  lookup: (ids: readonly string[]) => Promise<readonly ResourceRecord[]>;
  limit: number;
  /** Maximum number of neighbours. */
  maxNeighbours: number;
  /** Share of a hit's score that it passes on. */
  share: number;
  filter: SearchFilter | undefined;
}

/** Number of top hits whose neighbours are added. */
const sources = 5;

/**
 * Passes a share of the best hits' scores to the records that their foreign keys name, whether the
 * search found those or not. A score is raised to that share, never lowered. Records that are
 * excluded or that a facet filters out are not added.
 */
export async function addNeighbours(
  hits: readonly ExplainedHit[],
  options: AddNeighboursOptions,
): Promise<ExplainedHit[]> {
  const { records, share, maxNeighbours } = options;
  const best = hits.slice(0, Math.min(sources, options.limit));
  const links = best.flatMap((hit) => targetsOf(hit, records));
  if (maxNeighbours === 0 || links.length === 0) return [...hits];
  await lookUpMissing(
    links.flatMap(({ targets }) => targets),
    options,
  );
  const byId = new Map(hits.map((hit) => [hit.id, hit]));
  const brought = new Set<string>();
  for (const { source, targets } of links) {
    const id = targets.find((target) => records.has(target));
    if (id === undefined || id === source.id) continue;
    const lifted = raised(byId.get(id) ?? { id, score: 0, explain: {} }, source, share);
    if (lifted === undefined || (!brought.has(id) && brought.size === maxNeighbours)) continue;
    brought.add(id);
    byId.set(id, lifted);
  }
  return [...byId.values()].sort(compareHits);
}

function targetsOf(
  source: ExplainedHit,
  records: ReadonlyMap<string, ResourceRecord>,
): { source: ExplainedHit; targets: string[] }[] {
  const record = records.get(source.id);
  return record === undefined
    ? []
    : foreignKeyTargets(record).map((targets) => ({ source, targets }));
}

async function lookUpMissing(
  targets: readonly string[],
  options: AddNeighboursOptions,
): Promise<void> {
  const { records, lookup, filter } = options;
  // Only the index can apply a facet filter. With one, only records that were already found are
  // raised.
  if (Object.keys(filter?.facets ?? {}).length > 0) return;
  const excluded = new Set(filter?.exclude);
  const missing = [...new Set(targets)].filter(
    (id) => !records.has(id) && !excluded.has(id) && filter?.allow?.has(id) !== false,
  );
  if (missing.length === 0) return;
  for (const record of await lookup(missing)) records.set(record.id, record);
}

function raised(hit: ExplainedHit, source: ExplainedHit, share: number): ExplainedHit | undefined {
  const amount = share * source.score - hit.score;
  if (!(amount > 0)) return undefined;
  const explain = {
    ...hit.explain,
    neighbour: (hit.explain.neighbour ?? 0) + amount,
    neighbourOf: source.id,
  };
  return { ...hit, score: sumOf(explain), explain };
}
