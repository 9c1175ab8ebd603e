import type { QueryWord } from "../search/analyzer.ts";
import { applyFilter } from "../search/index-state.ts";
import type { LegHit, SearchFilter, TextHits } from "../search/search-index.ts";
import { createSlotScores } from "../search/slot-scores.ts";
import { selectTop } from "../search/select-top.ts";
import type { TextWeights } from "../search/text-weights.ts";
import { checkVector, scoreVectors } from "../search/vector-matrix.ts";
import { compareCodeUnits } from "../record/compare-code-units.ts";
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
  scoreTerms,
  termsOf,
} from "./search-terms.ts";
import type { SqlDialect, SqlSteps } from "./sql-steps.ts";
import { findNearest, scanVectors, unitOf } from "./vector-steps.ts";

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
  const state = yield* follow(holder);
  const found = yield* readPostings(dialect, termsOf(search.words));
  const documents = holder.current;
  const { generation } = documents;
  let loaded = loadTerms(documents, { state, found }, search.filter);
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
    loaded = loadTerms(holder.current, { state, found: [...found, ...added] }, search.filter);
  }
  return scoreTerms(holder.current, loaded, search);
}

/** What is asked for by a vector. */
export interface NearSearch {
  vector: Float32Array;
  filter: SearchFilter | undefined;
  limit: number;
}

/** Fewer visible documents than this are compared one by one, which is exact. */
const fewDocuments = 2_000;
const mostFromIndex = 1_000;

/** The documents with the nearest vectors: through the database's own index where there is one, else by comparing all. */
export function* searchNear(
  dialect: SqlDialect,
  holder: ResidentHolder,
  search: NearSearch,
): SqlSteps<LegHit[]> {
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
): SqlSteps<LegHit[]> {
  if (!canHoldVectors(state)) {
    holder.vectors = createResidentVectors();
    return yield* scanAll(dialect, holder, { ...search, dimensions: state.dimensions });
  }
  const matrix = yield* followVectors(holder.vectors, state);
  const { state: documents, slots, documents: numbers } = holder.current;
  const { mask } = applyFilter(documents, search.filter);
  const visible = new Uint8Array(slots.length);
  for (const slot of documents.slots.values()) {
    if (mask === undefined || mask[slot] === 1) visible[numbers[slot] ?? 0] = 1;
  }
  const found = scoreVectors(matrix, { vector: search.vector, slotCount: slots.length, visible });
  const ids = slots.map((slot) => (slot === undefined ? undefined : documents.ids[slot]));
  return selectTop(found, search.limit, ids).map(({ slot, score }) => ({
    id: ids[slot] ?? "",
    score,
  }));
}

/** Where fewer than one in so many documents are visible, only theirs are read. */
const fewOf = 4;

function* scanAll(
  dialect: SqlDialect,
  holder: ResidentHolder,
  { dimensions, vector, filter, limit }: NearSearch & { dimensions: number },
): SqlSteps<LegHit[]> {
  const { state, slots, documents: numbers } = holder.current;
  const { mask, count } = applyFilter(state, filter);
  const slotOf = (document: number): number | undefined => {
    const slot = slots[document];
    return slot === undefined || (mask !== undefined && mask[slot] !== 1) ? undefined : slot;
  };
  const isFew = mask !== undefined && count * fewOf < state.slots.size;
  const documents = isFew
    ? [...state.slots.values()].filter((slot) => mask[slot] === 1).map((slot) => numbers[slot] ?? 0)
    : undefined;
  const found = yield* scanVectors(dialect, { vector, dimensions, slotOf, documents });
  const scores = createSlotScores(state.ids.length);
  for (const { slot, score } of found) {
    scores.scores[slot] = score;
    scores.touched[scores.size] = slot;
    scores.size += 1;
  }
  return selectTop(scores, limit, state.ids).map(({ slot, score }) => ({
    id: state.ids[slot] ?? "",
    score,
  }));
}

function* askNearest(
  dialect: SqlDialect,
  holder: ResidentHolder,
  search: NearSearch,
): SqlSteps<LegHit[]> {
  const { vector, filter, limit } = search;
  const { state, slots, documents } = holder.current;
  const { mask, count } = applyFilter(state, filter);
  const isVisible = (slot: number): boolean =>
    state.ids[slot] !== undefined && (mask === undefined || mask[slot] === 1);
  const hitsOf = (rows: readonly { document: number; score: number }[]): LegHit[] =>
    rows
      .flatMap(({ document, score }): LegHit[] => {
        const slot = slots[document];
        return slot === undefined || !isVisible(slot) ? [] : [{ id: state.ids[slot] ?? "", score }];
      })
      .sort((left, right) => right.score - left.score || compareCodeUnits(left.id, right.id))
      .slice(0, limit);
  if (count > fewDocuments && limit <= mostFromIndex) {
    const deep = Math.min(mostFromIndex, limit * 4);
    const hits = hitsOf(yield* findNearest(dialect, { vector, limit: deep }));
    if (hits.length === limit) return hits;
  }
  // Exactly, so that a filter which leaves little loses nothing.
  const visible = [...state.slots.values()].filter(isVisible).map((slot) => documents[slot] ?? 0);
  return hitsOf(yield* findNearest(dialect, { vector, limit, documents: visible }));
}
