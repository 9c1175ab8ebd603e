import type { AnalyzedDocument } from "./analyze-document.ts";
import {
  addFacets,
  createFacetTable,
  keepFacets,
  type Facet,
  type FacetTable,
} from "./facet-table.ts";
import { addPostings, createTextPostings, removePostings, type TextPostings } from "./postings.ts";
import { createScoreScratch, type ScoreScratch } from "./score-text.ts";
import type { SearchFilter } from "./search-index.ts";
import {
  addVector,
  createVectorMatrix,
  removeVector,
  type VectorMatrix,
  type VectorPrecision,
} from "./vector-matrix.ts";

/** All that an index holds, by slot: a document's place, never used twice between two compactions. */
export interface IndexState {
  /** Undefined for a dead slot. */
  ids: (string | undefined)[];
  slots: Map<string, number>;
  text: TextPostings;
  containerNumbers: Map<string, number>;
  /** Container number by slot. */
  containers: number[];
  /** Live documents by container number. */
  containerSizes: number[];
  facets: FacetTable;
  vectors: VectorMatrix;
  scratch: ScoreScratch;
}

/** A document that is ready to take a slot. */
export interface PreparedDocument {
  id: string;
  container: string;
  facets: readonly Facet[];
  text: AnalyzedDocument;
  vector: Float32Array | undefined;
}

/** An empty index. */
export function createIndexState(precision: VectorPrecision): IndexState {
  return {
    ids: [],
    slots: new Map(),
    text: createTextPostings(),
    containerNumbers: new Map(),
    containers: [],
    containerSizes: [],
    facets: createFacetTable(),
    vectors: createVectorMatrix(precision),
    scratch: createScoreScratch(0, 0),
  };
}

/** Adds a document whose id is not in the index. */
export function addDocument(state: IndexState, document: PreparedDocument): void {
  const slot = takeSlot(state, document.id, document.container);
  addPostings(state.text, slot, document.text);
  addFacets(state.facets, slot, document.facets);
  if (document.vector !== undefined) addVector(state.vectors, slot, document.vector);
}

/** Gives an id the next slot, in its container. */
export function takeSlot(state: IndexState, id: string, container: string): number {
  const slot = state.ids.length;
  state.ids.push(id);
  state.slots.set(id, slot);
  const number = state.containerNumbers.get(container) ?? state.containerSizes.length;
  state.containerNumbers.set(container, number);
  state.containers.push(number);
  state.containerSizes[number] = (state.containerSizes[number] ?? 0) + 1;
  return slot;
}

/** Takes a document out; nothing where the id is unknown. */
export function removeDocument(state: IndexState, id: string): void {
  const slot = state.slots.get(id);
  if (slot === undefined) return;
  removePostings(state.text, slot);
  removeVector(state.vectors, slot);
  const container = state.containers[slot] ?? 0;
  state.containerSizes[container] = (state.containerSizes[container] ?? 0) - 1;
  state.facets.ofSlot[slot] = undefined;
  state.ids[slot] = undefined;
  state.slots.delete(id);
}

/** True when dead slots cost more than they are worth keeping. */
export function needsCompaction(state: IndexState): boolean {
  const dead = state.ids.length - state.slots.size;
  return dead > 64 && dead > state.slots.size / 2;
}

/** What a filter leaves. */
export interface Visible {
  /** One byte a slot, 1 where it may be found; undefined where nothing is hidden. */
  mask: Uint8Array | undefined;
  count: number;
  /** Visible documents by container number. */
  containerSizes: ArrayLike<number>;
}

/** Applies a filter to the live documents. */
export function applyFilter(state: IndexState, filter: SearchFilter | undefined): Visible {
  const { allow, facets, exclude = [] } = filter ?? {};
  const hasFacets = facets !== undefined && Object.keys(facets).length > 0;
  if (allow === undefined && !hasFacets && exclude.length === 0) {
    return { mask: undefined, count: state.slots.size, containerSizes: state.containerSizes };
  }
  const mask = new Uint8Array(state.ids.length);
  for (const id of allow ?? state.slots.keys()) {
    const slot = state.slots.get(id);
    if (slot !== undefined) mask[slot] = 1;
  }
  if (hasFacets) keepFacets(state.facets, facets, mask);
  for (const id of exclude) {
    const slot = state.slots.get(id);
    if (slot !== undefined) mask[slot] = 0;
  }
  const containerSizes = new Int32Array(state.containerSizes.length);
  let count = 0;
  for (let slot = 0; slot < mask.length; slot += 1) {
    if (mask[slot] !== 1) continue;
    count += 1;
    const container = state.containers[slot] ?? 0;
    containerSizes[container] = (containerSizes[container] ?? 0) + 1;
  }
  return { mask, count, containerSizes };
}

/** The scratch of the state, large enough for all of its slots. */
export function scratchOf(state: IndexState): ScoreScratch {
  const { total, containerTotal } = state.scratch;
  const slots = state.ids.length;
  const containers = state.containerSizes.length;
  if (total.scores.length < slots || containerTotal.scores.length < containers) {
    state.scratch = createScoreScratch(Math.ceil(slots * 1.25), Math.ceil(containers * 1.25));
  }
  return state.scratch;
}
