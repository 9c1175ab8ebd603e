import { throwIfAborted } from "@ccl/core/async";
import type { Clock } from "@ccl/core";
import { traced } from "@ccl/core/tracing";
import type { FacetCount, FacetFilter } from "@ccl/search";
import { hasFacets } from "@ccl/search";

import { resourceIdOf } from "../access/search-variants.ts";
import { viewColumns } from "../access/present-record.ts";
import { CatalogError } from "../catalog-error.ts";
import { guarded } from "../search/guarded.ts";
import { rankResources } from "../search/rank-resources.ts";
import type { ResourceRecord } from "../record/resource-record.ts";
import type { RankWeights } from "../search/rank-weights.ts";
import type { ScoreExplanation } from "../search/score-terms.ts";
import type { SearchIndex } from "../search/search-index.ts";
import { facetsOf } from "../search/searchable-fields.ts";
import type { VectorLeg } from "./catalog.ts";
import type { VectorSource } from "./vector-source.ts";
import type { VisibleSet } from "./visible-set.ts";

/** Parts of a catalog that a search needs. */
export interface SearchContext {
  index: SearchIndex;
  vectors: VectorSource | undefined;
  dimensions: number | undefined;
  clock: Clock;
  weights: Partial<RankWeights> | undefined;
}

/** Options of `findResources`. */
export interface FindOptions {
  visible: VisibleSet;
  text?: string | undefined;
  vector?: Float32Array | undefined;
  facets?: FacetFilter | undefined;
  exclude?: readonly string[] | undefined;
  limit: number;
  signal?: AbortSignal | undefined;
}

/** Hits by resource id. */
export interface Found {
  hits: { id: string; score: number; explain: ScoreExplanation }[];
  unmatchedTerms: string[];
  coverage: number;
  vectorLeg: VectorLeg;
}

/** Maximum length of a query. Longer queries are cut, because they do not rank better. */
const longestQuery = 8_000;

/** Ranks by words, and by meaning if an embedder answers. Without text and vector, sorts by id. */
export function findResources(options: FindOptions, context: SearchContext): Promise<Found> {
  return traced("catalog search", { "ccl.limit": options.limit }, async (span) => {
    const found = await find(options, context);
    const { hits, unmatchedTerms, vectorLeg } = found;
    span.set({
      "ccl.hits": hits.length,
      "ccl.terms.unmatched": unmatchedTerms.length,
      "ccl.vectors": vectorLeg,
    });
    return found;
  });
}

async function find(options: FindOptions, context: SearchContext): Promise<Found> {
  const { visible, limit, signal } = options;
  const text = options.text?.slice(0, longestQuery);
  const hasText = text !== undefined && text.trim() !== "";
  if (!hasText && options.vector === undefined) return browse(options);
  const { vector, vectorLeg } = await queryVector(
    { ...options, text: hasText ? text : "" },
    context,
  );
  const filter = visible.filter(options);
  const ranked = await guarded(() =>
    rankResources({
      index: context.index,
      text: hasText ? text : undefined,
      vector,
      filter,
      limit,
      lookup: async (ids) =>
        ids.flatMap((id) => {
          const record = visible.get(id);
          if (record === undefined || filter.allow?.has(id) === false) return [];
          return seenKeys(record, id, visible);
        }),
      clock: context.clock,
      weights: context.weights,
      signal,
    }),
  );
  throwIfAborted(signal, CatalogError);
  const hits = ranked.hits.map(({ id, score, explain }) => ({
    id: resourceIdOf(id),
    score,
    explain: plainIds(explain),
  }));
  return { hits, unmatchedTerms: ranked.unmatchedTerms, coverage: ranked.coverage, vectorLeg };
}

/** Returns an index entry's record with only its visible foreign keys, because only these may add neighbours. */
function seenKeys(
  record: ResourceRecord,
  entry: string,
  { visibility }: VisibleSet,
): ResourceRecord {
  if (visibility.isOpen) return record;
  const seesColumns = visibility.seesDetails(record) && visibility.seesSection("columns", record);
  return {
    ...record,
    id: entry,
    columns: seesColumns ? viewColumns(record, visibility).columns : [],
  };
}

function plainIds(explain: ScoreExplanation): ScoreExplanation {
  return explain.neighbourOf === undefined
    ? explain
    : { ...explain, neighbourOf: resourceIdOf(explain.neighbourOf) };
}

/** Counts facets over the entries of the ids, or over all visible entries. */
export async function countFacets(
  { visible, facets, exclude, signal }: FindOptions,
  ids: readonly string[] | undefined,
  { index }: SearchContext,
): Promise<Record<string, FacetCount[]>> {
  const filter = visible.filter({
    facets,
    exclude,
  });
  const entries = ids?.map((id) => visible.entryOf(id));
  return guarded(() => index.countFacets({ filter, ids: entries, limit: 20 }, { signal }));
}

async function queryVector(
  { text, vector, signal }: FindOptions,
  { vectors, dimensions }: SearchContext,
): Promise<{ vector?: Float32Array | undefined; vectorLeg: VectorLeg }> {
  if (vector !== undefined) {
    if (dimensions !== undefined && vector.length !== dimensions) {
      const message = `The vector has ${vector.length} numbers, and the catalog's embedder gives ${dimensions}.`;
      throw new CatalogError("invalid_options", message);
    }
    return { vector, vectorLeg: "used" };
  }
  if (vectors === undefined || text === undefined) return { vectorLeg: "absent" };
  const { vectors: found } = await vectors.embed([text], { isKept: false, signal });
  const embedded = found.get(text);
  return embedded === undefined ? { vectorLeg: "failed" } : { vector: embedded, vectorLeg: "used" };
}

/** Returns everything visible that matches the facets, by id. */
function browse({ visible, facets, exclude, limit }: FindOptions): Found {
  const excluded = new Set(exclude);
  const hits: Found["hits"] = [];
  for (const id of visible.ids()) {
    if (hits.length >= limit) break;
    const record = visible.get(id);
    if (record === undefined || excluded.has(id)) continue;
    if (facets === undefined || hasFacets(facetsOf(record), facets))
      hits.push({ id, score: 0, explain: {} });
  }
  return { hits, unmatchedTerms: [], coverage: 1, vectorLeg: "absent" };
}
