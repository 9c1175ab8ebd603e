import type { ResourceRecord } from "../record/resource-record.ts";
import { foreignKeyTargets } from "./foreign-key-targets.ts";
import { compareHits, sumOf, type FusedHit } from "./fuse-legs.ts";
import type { SearchFilter } from "./search-index.ts";

/** What neighbours are sought with. */
export interface AddNeighboursOptions {
  /** Of the hits; neighbours are added. */
  records: Map<string, ResourceRecord>;
  lookup: (ids: readonly string[]) => Promise<readonly ResourceRecord[]>;
  limit: number;
  /** Neighbours at most. */
  most: number;
  /** Share of a hit's score that it passes on. */
  share: number;
  filter: SearchFilter | undefined;
}

/** Only the best hits bring others along. */
const sources = 5;

/**
 * Passes a share of the best hits' scores on to the records that their foreign keys name, whether found or not: a record
 * is lifted to that share, never lowered. Excluded records and those that a facet leaves out stay out.
 */
export async function addNeighbours(
  hits: readonly FusedHit[],
  options: AddNeighboursOptions,
): Promise<FusedHit[]> {
  const { records, share, most } = options;
  const best = hits.slice(0, Math.min(sources, options.limit));
  const wanted = best.flatMap((hit) => targetsOf(hit, records));
  if (most === 0 || wanted.length === 0) return [...hits];
  await lookUpMissing(
    wanted.flatMap(({ targets }) => targets),
    options,
  );
  const byId = new Map(hits.map((hit) => [hit.id, hit]));
  const brought = new Set<string>();
  for (const { source, targets } of wanted) {
    const id = targets.find((target) => records.has(target));
    if (id === undefined || id === source.id) continue;
    const lifted = lift(byId.get(id) ?? { id, score: 0, explain: {} }, source, share);
    if (lifted === undefined || (!brought.has(id) && brought.size === most)) continue;
    brought.add(id);
    byId.set(id, lifted);
  }
  return [...byId.values()].sort(compareHits);
}

function targetsOf(
  source: FusedHit,
  records: ReadonlyMap<string, ResourceRecord>,
): { source: FusedHit; targets: string[] }[] {
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
  // A facet filter is the index's to judge: with one, only what was found already is lifted.
  if (Object.keys(filter?.facets ?? {}).length > 0) return;
  const excluded = new Set(filter?.exclude);
  const missing = [...new Set(targets)].filter(
    (id) => !records.has(id) && !excluded.has(id) && filter?.allow?.has(id) !== false,
  );
  if (missing.length === 0) return;
  for (const record of await lookup(missing)) records.set(record.id, record);
}

function lift(hit: FusedHit, source: FusedHit, share: number): FusedHit | undefined {
  const amount = share * source.score - hit.score;
  if (!(amount > 0)) return undefined;
  const explain = {
    ...hit.explain,
    neighbour: (hit.explain.neighbour ?? 0) + amount,
    neighbourOf: source.id,
  };
  return { ...hit, score: sumOf(explain), explain };
}
