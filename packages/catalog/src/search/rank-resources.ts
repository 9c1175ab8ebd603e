import { systemClock, type Clock } from "@ccl/core";

import { CatalogError } from "../catalog-error.ts";
import type { ResourceRecord } from "../record/resource-record.ts";
import { addNeighbours } from "./add-neighbours.ts";
import { fuseLegs, type FusedHit, type ScoreExplanation } from "./fuse-legs.ts";
import { defaultRankWeights, type RankWeights } from "./rank-weights.ts";
import { capabilitiesIn, capabilityOf, costOf, recencyOf, type ScoreTerms } from "./score-terms.ts";
import type { LegHit, SearchFilter, SearchIndex, TextHits } from "./search-index.ts";

/** What is asked, and what it is ranked with. */
export interface RankResourcesOptions {
  index: SearchIndex;
  /** The task or the words looked for; also read for capabilities when `capabilities` is absent. */
  text?: string | undefined;
  /** The task's embedding; absent where there is no embedder, or it failed. */
  vector?: Float32Array | undefined;
  filter?: SearchFilter | undefined;
  /** Hits at most, neighbours included. */
  limit: number;
  /** Records of the ids, in any order; ids that are unknown, or that the principal may not see, are left out. */
  lookup: (ids: readonly string[]) => Promise<readonly ResourceRecord[]>;
  /** How many hits are taken from each leg before fusing; four times the limit, but at least 50, or 100 with a vector, where absent. */
  candidates?: number | undefined;
  /** Like `aggregate`; where absent they are found in the text by a word table. */
  capabilities?: readonly string[] | undefined;
  weights?: Partial<RankWeights> | undefined;
  /** Recency is measured against it; the system clock where absent. */
  clock?: Clock | undefined;
  /** 30 where absent. */
  recencyHalfLifeDays?: number | undefined;
  /** Records at most that are brought along because foreign keys of the best hits name them; 3 where absent. */
  neighbours?: number | undefined;
  signal?: AbortSignal | undefined;
}

/** One record with its place and the reasons for it. */
export interface RankedHit {
  id: string;
  /** Higher is better; comparable within one answer only. */
  score: number;
  explain: ScoreExplanation;
  record: ResourceRecord;
}

/** Hits best first, ties by id in code units, and an honest account of what the text asked for that nothing has. */
export interface RankedResources {
  hits: RankedHit[];
  /** Words of the text that no visible record has. */
  unmatchedTerms: string[];
  /** Share of the text's terms, weighted by rarity, that the visible records have: 0..1; 1 where there is no text. */
  coverage: number;
}

const defaultNeighbours = 3;
const defaultHalfLifeDays = 30;
const fewestCandidates = 50;
const fewestWithVector = 100;

/**
 * Asks both legs, fuses them, and brings along what foreign keys of the best hits name. Without text and vector there are
 * no hits. Throws `invalid_options` for a limit that makes no sense; what the index and the lookup throw is passed on.
 */
export async function rankResources(options: RankResourcesOptions): Promise<RankedResources> {
  const { limit, text = "", lookup } = options;
  checkOptions(options);
  const weights = { ...defaultRankWeights, ...options.weights };
  const legs = await searchLegs(options);
  const ids = [...new Set([...legs.text.hits, ...legs.vector].map(({ id }) => id))];
  const records = new Map((await lookup(ids)).map((record) => [record.id, record]));
  const asked = options.capabilities ?? capabilitiesIn(text);
  const halfLifeDays = options.recencyHalfLifeDays ?? defaultHalfLifeDays;
  const nowMs = (options.clock ?? systemClock).now();
  const termsOf = (record: ResourceRecord): ScoreTerms => {
    const capability = capabilityOf(record, asked);
    const cost = costOf(record);
    return {
      recency: recencyOf(record, nowMs, halfLifeDays),
      capability,
      cost,
    };
  };
  const fused = fuseLegs({
    text: legs.text.hits,
    vector: legs.vector,
    weights,
    termsOf: (id) => {
      const record = records.get(id);
      return record === undefined ? undefined : termsOf(record);
    },
  });
  const hits = await addNeighbours(fused, {
    records,
    lookup,
    limit,
    most: options.neighbours ?? defaultNeighbours,
    share: weights.neighbour,
    filter: options.filter,
  });
  const { unmatchedTerms, coverage } = legs.text;
  return {
    hits: hits.slice(0, limit).flatMap((hit) => withRecord(hit, records)),
    unmatchedTerms,
    coverage,
  };
}

function checkOptions({
  limit,
  neighbours = 0,
  candidates = 1,
  recencyHalfLifeDays = 1,
}: RankResourcesOptions): void {
  for (const [name, value] of Object.entries({ limit, neighbours, candidates })) {
    if (Number.isSafeInteger(value) && value >= 0) continue;
    throw new CatalogError(
      "invalid_options",
      `\`${name}\` must be a whole number from 0, not ${value}.`,
    );
  }
  if (recencyHalfLifeDays > 0) return;
  throw new CatalogError(
    "invalid_options",
    `\`recencyHalfLifeDays\` must be above 0, not ${recencyHalfLifeDays}.`,
  );
}

async function searchLegs(
  options: RankResourcesOptions,
): Promise<{ text: TextHits; vector: LegHit[] }> {
  const { index, text = "", vector, limit, signal } = options;
  const fewest = vector === undefined ? fewestCandidates : fewestWithVector;
  const depth = Math.max(options.candidates ?? Math.max(fewest, limit * 4), limit);
  const filter = options.filter === undefined ? {} : { filter: options.filter };
  const call = signal === undefined ? {} : { signal };
  const found: TextHits =
    text.trim() === ""
      ? { hits: [], unmatchedTerms: [], coverage: 1 }
      : await index.searchText({ text, limit: depth, ...filter }, call);
  if (vector === undefined) return { text: found, vector: [] };
  const nearest = await index.searchVector({ vector, limit: depth, ...filter }, call);
  const known = new Set(nearest.map(({ id }) => id));
  const missing = found.hits.map(({ id }) => id).filter((id) => !known.has(id));
  if (missing.length === 0) return { text: found, vector: nearest };
  // The vector scores of what only the words found; it passed the filter already.
  const allow = new Set(missing);
  const others = await index.searchVector(
    { vector, limit: missing.length, filter: { allow } },
    call,
  );
  return { text: found, vector: [...nearest, ...others] };
}

function withRecord(hit: FusedHit, records: ReadonlyMap<string, ResourceRecord>): RankedHit[] {
  const record = records.get(hit.id);
  return record === undefined ? [] : [{ ...hit, record }];
}
