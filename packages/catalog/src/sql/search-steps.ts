import type { SqlSteps } from "@ccl/sql";
import {
  compareHits,
  type QueryWord,
  type SearchFilter,
  type SearchHit,
  type TextHits,
  type TextWeights,
} from "@ccl/search";
import {
  checkLimit,
  checkVector,
  findVisible,
  scoreText,
  scoreVectors,
  selectTop,
  unitOf,
  type ScoredSlot,
} from "@ccl/search/engine";

import { readState, type IndexStateRow } from "./index-state-row.ts";
import {
  createResidentDocuments,
  readChanges,
  takeIn,
  type ResidentDocuments,
} from "./resident-documents.ts";
import {
  canHoldVectors,
  createResidentVectors,
  followVectors,
  type ResidentVectors,
} from "./resident-vectors.ts";
import {
  addTerms,
  loadTerms,
  missingWords,
  readNearTerms,
  readPostings,
  termsOf,
} from "./search-terms.ts";
import type { SqlDialect } from "./sql-dialect.ts";
import { findNearest, scanVectors } from "./vector-steps.ts";

/** The documents at hand, which every call brings up to date. */
export interface ResidentHolder {
  current: ResidentDocuments;
  vectors: ResidentVectors;
}

/** Nothing at hand yet. */
export function createResidentHolder(): ResidentHolder {
  return { current: createResidentDocuments(), vectors: createResidentVectors() };
}

/** Brings the documents at hand up to what the transaction sees, and gives its totals. */
export function* follow(holder: ResidentHolder): SqlSteps<IndexStateRow> {
  const state = yield* readState();
  const rows = yield* readChanges(holder.current, state);
  holder.current = takeIn(holder.current, rows, state.generation);
  return state;
}

/** What is asked for in words. */
export interface WordSearch {
  words: readonly QueryWord[];
  weights: TextWeights;
  filter: SearchFilter | undefined;
  limit: number;
}

/** The best documents by their words. */
export function* searchWords(
  dialect: SqlDialect,
  holder: ResidentHolder,
  search: WordSearch,
): SqlSteps<TextHits> {
  checkLimit(search.limit);
  yield* follow(holder);
  const found = yield* readPostings(dialect, termsOf(search.words));
  const documents = holder.current;
  const { generation } = documents;
  let loaded = loadTerms(documents, found, search.filter);
  const missing = missingWords(search.words, loaded);
  const near = missing.length === 0 ? [] : yield* readNearTerms(missing);
  const read = new Set(found.map(({ term }) => term));
  const added = yield* readPostings(
    dialect,
    near.filter((term) => !read.has(term)),
  );
  // Another search may have taken in later changes meanwhile.
  if (holder.current === documents && documents.generation === generation) {
    addTerms(loaded.text, documents.slots, added);
  } else {
    loaded = loadTerms(holder.current, [...found, ...added], search.filter);
  }
  return scoreText({ table: holder.current.table, ...loaded, ...search });
}

/** What is asked for by a vector. */
export interface NearSearch {
  vector: Float32Array;
  filter: SearchFilter | undefined;
  limit: number;
}

/** Fewer visible documents than this are compared one by one, which is exact. */
const fewDocuments = 2_000;
const maxFromIndex = 1_000;

/** The documents with the nearest vectors: through the database's own index where there is one, else by comparing all. */
export function* searchNear(
  dialect: SqlDialect,
  holder: ResidentHolder,
  search: NearSearch,
): SqlSteps<SearchHit[]> {
  checkLimit(search.limit);
  const state = yield* follow(holder);
  if (state.dimensions === 0) return [];
  checkVector(search.vector, state.dimensions, "the query");
  const unit = unitOf(search.vector);
  if (unit === undefined || search.limit === 0) return [];
  return state.nearestDimensions === 0
    ? yield* compareAll(dialect, holder, { search, state })
    : yield* askNearest(dialect, holder, { ...search, vector: unit });
}

/** From memory where all vectors fit into it, else from the database. */
function* compareAll(
  dialect: SqlDialect,
  holder: ResidentHolder,
  { search, state }: { search: NearSearch; state: IndexStateRow },
): SqlSteps<SearchHit[]> {
  if (!canHoldVectors(holder.current.table.slots.size, state.dimensions)) {
    holder.vectors = createResidentVectors();
    return yield* scanAll(dialect, holder, { ...search, dimensions: state.dimensions });
  }
  const vectors = yield* followVectors(holder.vectors, state);
  const { table, slots } = holder.current;
  const { mask } = findVisible(table, search.filter);
  const found = scoreVectors(vectors, search.vector).flatMap(({ slot: document, score }) => {
    const slot = slots[document];
    return slot === undefined || mask?.[slot] === 0 ? [] : [{ slot, score }];
  });
  return hitsOf(holder, found, search.limit);
}

function hitsOf(
  { current: { table } }: ResidentHolder,
  found: readonly ScoredSlot[],
  limit: number,
): SearchHit[] {
  return selectTop(found, limit, table.ids).map(({ slot, score }) => ({
    id: table.ids[slot] ?? "",
    score,
  }));
}

/** Where fewer than one in so many documents are visible, only theirs are read. */
const fewOf = 4;

function* scanAll(
  dialect: SqlDialect,
  holder: ResidentHolder,
  { dimensions, vector, filter, limit }: NearSearch & { dimensions: number },
): SqlSteps<SearchHit[]> {
  const { table, slots, documents: numbers } = holder.current;
  const { mask, count } = findVisible(table, filter);
  const slotOf = (document: number): number | undefined => {
    const slot = slots[document];
    return slot === undefined || mask?.[slot] === 0 ? undefined : slot;
  };
  const isFew = mask !== undefined && count * fewOf < table.slots.size;
  const documents = isFew
    ? [...table.slots.values()].filter((slot) => mask[slot] === 1).map((slot) => numbers[slot] ?? 0)
    : undefined;
  const found = yield* scanVectors(dialect, { vector, dimensions, slotOf, documents });
  return hitsOf(holder, found, limit);
}

function* askNearest(
  dialect: SqlDialect,
  holder: ResidentHolder,
  search: NearSearch,
): SqlSteps<SearchHit[]> {
  const { vector, filter, limit } = search;
  const { table, slots, documents } = holder.current;
  const { mask, count } = findVisible(table, filter);
  const isVisible = (slot: number): boolean => table.ids[slot] !== undefined && mask?.[slot] !== 0;
  const nearestOf = (rows: readonly { document: number; score: number }[]): SearchHit[] =>
    rows
      .flatMap(({ document, score }): SearchHit[] => {
        const slot = slots[document];
        return slot === undefined || !isVisible(slot) ? [] : [{ id: table.ids[slot] ?? "", score }];
      })
      .sort(compareHits)
      .slice(0, limit);
  if (count > fewDocuments && limit <= maxFromIndex) {
    const deep = Math.min(maxFromIndex, limit * 4);
    const hits = nearestOf(yield* findNearest(dialect, { vector, limit: deep }));
    if (hits.length === limit) return hits;
  }
  // Exactly, so that a filter which leaves little loses nothing.
  const visible = [...table.slots.values()].filter(isVisible).map((slot) => documents[slot] ?? 0);
  return nearestOf(yield* findNearest(dialect, { vector, limit, documents: visible }));
}
