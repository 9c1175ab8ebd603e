import { CatalogError } from "../catalog-error.ts";
import { analyzeDocument } from "./analyze-document.ts";
import { createAnalyzer, type Analyzer } from "./analyzer.ts";
import { countSlots, facetsOf } from "./facet-table.ts";
import {
  addDocument,
  applyFilter,
  createIndexState,
  needsCompaction,
  removeDocument,
  scratchOf,
  type IndexState,
  type PreparedDocument,
} from "./index-state.ts";
import { restoreState } from "./restore-state.ts";
import { saveState } from "./save-state.ts";
import { scoreText } from "./score-text.ts";
import type {
  LegHit,
  SearchDocument,
  SearchFilter,
  SearchIndex,
  TextHits,
} from "./search-index.ts";
import { containerOf } from "./searchable-fields.ts";
import { selectTop } from "./select-top.ts";
import { defaultTextWeights, type TextWeights } from "./text-weights.ts";
import { checkVector, scoreVectors, type VectorPrecision } from "./vector-matrix.ts";

/** What an index in memory may be told. */
export interface MemorySearchIndexOptions {
  /** English and Russian, identifiers split, where absent. */
  analyzer?: Analyzer | undefined;
  /** Those that were measured best where absent. */
  weights?: Partial<TextWeights> | undefined;
  /** `float32` where absent. */
  vectors?: VectorPrecision | undefined;
}

/** An exact index in memory: BM25F over fields with the containers' share, cosine over all vectors. */
export interface MemorySearchIndex extends SearchIndex {
  /** Documents. */
  size(): number;
  /** The index as bytes, the same for the same documents whatever the order of changes. */
  save(): Uint8Array;
  /**
   * Replaces what the index holds. Throws and keeps it: `store_damaged` where the bytes are not what was saved,
   * `invalid_options` where another version, analyzer or precision saved them.
   */
  restore(bytes: Uint8Array): void;
}

/** Documents that are analysed before others get a turn. */
const batchSize = 1024;

/**
 * Creates an empty index. Changes are made whole or not at all, one after another; an aborted one rejects with `aborted`.
 * A vector that is not finite, or not as long as the others, rejects with `invalid_options`.
 */
export function createMemorySearchIndex(options: MemorySearchIndexOptions = {}): MemorySearchIndex {
  const analyzer = options.analyzer ?? createAnalyzer();
  const weights = { ...defaultTextWeights, ...options.weights };
  const precision = options.vectors ?? "float32";
  let state = createIndexState(precision);
  let lastChange: Promise<void> = Promise.resolve();
  const change = (task: () => Promise<void>): Promise<void> => {
    const done = lastChange.then(task);
    lastChange = done.catch(() => undefined);
    return done;
  };
  const save = (): Uint8Array => saveState(state, analyzer.name);
  const restore = (bytes: Uint8Array): void => {
    state = restoreState(bytes, { analyzer: analyzer.name, precision });
  };
  const commit = (removed: Iterable<string>, added: Iterable<PreparedDocument>): void => {
    for (const id of removed) removeDocument(state, id);
    for (const document of added) addDocument(state, document);
    if (needsCompaction(state)) restore(save());
  };
  return {
    name: "memory",
    size: () => state.slots.size,
    save,
    restore,
    put: (documents, { signal } = {}) =>
      change(async () => {
        const prepared = await prepareAll(documents, analyzer, signal);
        checkVectors(state, prepared);
        commit(prepared.keys(), prepared.values());
      }),
    remove: (ids, { signal } = {}) =>
      change(async () => {
        throwIfAborted(signal);
        commit(ids, []);
      }),
    searchText: async (query, { signal } = {}) => {
      throwIfAborted(signal);
      return searchText({ state, analyzer, weights }, query);
    },
    searchVector: async (query, { signal } = {}) => {
      throwIfAborted(signal);
      return searchVector(state, query);
    },
    countFacets: async ({ filter, ids, facets, limit }, { signal } = {}) => {
      throwIfAborted(signal);
      checkLimit(limit);
      return countSlots(state.facets, visibleSlots(state, filter, ids), { facets, limit });
    },
  };
}

async function prepareAll(
  documents: readonly SearchDocument[],
  analyzer: Analyzer,
  signal: AbortSignal | undefined,
): Promise<Map<string, PreparedDocument>> {
  const prepared = new Map<string, PreparedDocument>();
  throwIfAborted(signal);
  for (let at = 0; at < documents.length; at += 1) {
    const document = documents[at];
    if (document !== undefined) prepared.set(document.record.id, prepare(document, analyzer));
    if (at % batchSize < batchSize - 1) continue;
    await new Promise((resolve) => setTimeout(resolve, 0));
    throwIfAborted(signal);
  }
  return prepared;
}

function prepare({ record, vector }: SearchDocument, analyzer: Analyzer): PreparedDocument {
  return {
    id: record.id,
    container: containerOf(record),
    facets: facetsOf(record),
    text: analyzeDocument(record, analyzer),
    vector,
  };
}

function checkVectors(state: IndexState, prepared: ReadonlyMap<string, PreparedDocument>): void {
  const { rows, dimensions } = state.vectors;
  let replaced = 0;
  for (const id of prepared.keys()) if (rows.has(state.slots.get(id) ?? -1)) replaced += 1;
  // When every vector is replaced at once, those of another model may follow.
  let expected = replaced === rows.size ? 0 : dimensions;
  for (const { id, vector } of prepared.values()) {
    if (vector === undefined) continue;
    checkVector(vector, expected, `the resource ${JSON.stringify(id)}`);
    expected = vector.length;
  }
}

function searchText(
  { state, analyzer, weights }: { state: IndexState; analyzer: Analyzer; weights: TextWeights },
  query: { text: string; filter?: SearchFilter | undefined; limit: number },
): TextHits {
  checkLimit(query.limit);
  const { mask, count, containerSizes } = applyFilter(state, query.filter);
  const context = {
    text: state.text,
    weights,
    ids: state.ids,
    containers: state.containers,
    containerSizes,
    visible: mask,
    visibleCount: count,
    scratch: scratchOf(state),
  };
  return scoreText(context, analyzer.queryWords(query.text), query.limit);
}

function searchVector(
  state: IndexState,
  query: { vector: Float32Array; filter?: SearchFilter | undefined; limit: number },
): LegHit[] {
  checkLimit(query.limit);
  const { mask } = applyFilter(state, query.filter);
  const found = scoreVectors(state.vectors, {
    vector: query.vector,
    slotCount: state.ids.length,
    visible: mask,
  });
  return selectTop(found, query.limit, state.ids).map(({ slot, score }) => ({
    id: state.ids[slot] ?? "",
    score,
  }));
}

function visibleSlots(
  state: IndexState,
  filter: SearchFilter | undefined,
  ids: readonly string[] | undefined,
): number[] {
  const { mask } = applyFilter(state, filter);
  const slots = new Set<number>();
  for (const id of ids ?? state.slots.keys()) {
    const slot = state.slots.get(id);
    if (slot !== undefined && (mask === undefined || mask[slot] === 1)) slots.add(slot);
  }
  return [...slots];
}

function checkLimit(limit: number): void {
  if (Number.isSafeInteger(limit) && limit >= 0) return;
  throw new CatalogError("invalid_options", `A limit must be a whole number from 0, not ${limit}.`);
}

function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted !== true) return;
  throw new CatalogError("aborted", "The call was aborted.", { cause: signal.reason });
}
