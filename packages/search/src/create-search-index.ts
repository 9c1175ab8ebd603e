import { throwIfAborted } from "@ccl/core/async";

import { restoreIndex } from "./saved/restore-index.ts";
import { saveIndex } from "./saved/save-index.ts";
import type { IndexState } from "./saved/saved-index.ts";
import { checkLimit, SearchError } from "./search-error.ts";
import type { SearchDocument, SearchIndex } from "./search-index.ts";
import {
  addDocument,
  countFacets,
  createDocumentTable,
  findVisible,
  needsCompaction,
  removeDocument,
  sortFacets,
} from "./table/document-table.ts";
import { analyzeDocument, type AnalyzedDocument } from "./text/analyze-document.ts";
import { scoreText } from "./text/score-text.ts";
import { selectTop } from "./text/select-top.ts";
import { addPostings } from "./text/text-postings.ts";
import type { TextWeights } from "./text/text-weights.ts";
import {
  addVector,
  checkVector,
  createVectorTable,
  removeVector,
  scoreVectors,
  type VectorPrecision,
} from "./vectors/vector-table.ts";
import { createAnalyzer, type Analyzer } from "./words/analyzer.ts";

/** The fields and their weights, and how to process text and vectors. */
export interface SearchIndexOptions<Field extends string = string> extends TextWeights<Field> {
  /** Splits text into terms. Defaults to `createAnalyzer()`. */
  analyzer?: Analyzer | undefined;
  /** How vectors are stored. Defaults to `float32`. */
  vectors?: VectorPrecision | undefined;
}

/** Number of documents to analyze before yielding to other tasks. */
const batchSize = 1024;

interface PreparedDocument {
  document: SearchDocument;
  text: AnalyzedDocument;
}

/** Creates an empty index for documents with these fields. */
export function createSearchIndex<Field extends string>(
  options: SearchIndexOptions<Field>,
): SearchIndex<Field> {
  const { analyzer = createAnalyzer(), vectors: precision = "float32" } = options;
  const fields = Object.keys(options.fields);
  const format = { analyzer: analyzer.name, fields, precision };
  let state: IndexState = {
    table: createDocumentTable(),
    text: new Map(),
    vectors: createVectorTable(precision),
  };
  let lastChange: Promise<void> = Promise.resolve();
  const change = (task: () => Promise<void>): Promise<void> => {
    const done = lastChange.then(task);
    lastChange = done.catch(() => undefined);
    return done;
  };
  const save = (): Uint8Array => saveIndex(state, format);
  const restore = (bytes: Uint8Array): void => {
    state = restoreIndex(bytes, format);
  };
  const commit = (removed: Iterable<string>, added: Iterable<PreparedDocument>): void => {
    for (const id of removed) remove(state, id);
    for (const prepared of added) add(state, prepared);
    if (needsCompaction(state.table)) restore(save());
  };
  return {
    size: () => state.table.slots.size,
    save,
    restore,
    put: (documents, { signal } = {}) =>
      change(async () => {
        const prepared = new Map<string, PreparedDocument>();
        throwIfAborted(signal, SearchError);
        for (const [at, document] of [...documents].entries()) {
          const text = analyzeDocument(document.texts, fields, analyzer);
          prepared.set(document.id, { document, text });
          if (at % batchSize < batchSize - 1) continue;
          await new Promise((resolve) => setTimeout(resolve, 0));
          throwIfAborted(signal, SearchError);
        }
        checkVectors(state, prepared);
        commit(prepared.keys(), prepared.values());
      }),
    remove: (ids, { signal } = {}) =>
      change(async () => {
        throwIfAborted(signal, SearchError);
        commit(ids, []);
      }),
    searchText({ text, filter, limit }) {
      checkLimit(limit);
      const visible = findVisible(state.table, filter);
      const words = analyzer.queryWords(text);
      const { table, text: postings } = state;
      return scoreText({ table, visible, text: postings, weights: options, words, limit });
    },
    searchVector({ vector, filter, limit }) {
      checkLimit(limit);
      const { ids } = state.table;
      const { mask } = findVisible(state.table, filter);
      return selectTop(scoreVectors(state.vectors, vector, mask), limit, ids).map(
        ({ slot, score }) => ({ id: ids[slot] ?? "", score }),
      );
    },
    countFacets(query) {
      checkLimit(query.limit);
      return countFacets(state.table, query);
    },
  };
}

function add(
  { table, text, vectors }: IndexState,
  { document, text: documentText }: PreparedDocument,
): void {
  const { id, container = id, facets = [], vector } = document;
  const slot = addDocument(table, {
    id,
    container,
    facets: sortFacets(facets),
    lengths: documentText.lengths,
  });
  addPostings(text, slot, documentText);
  if (vector !== undefined) addVector(vectors, slot, vector);
}

function remove({ table, vectors }: IndexState, id: string): void {
  const slot = removeDocument(table, id);
  if (slot === undefined) return;
  removeVector(vectors, slot);
}

function checkVectors(
  { table, vectors }: IndexState,
  prepared: ReadonlyMap<string, PreparedDocument>,
): void {
  let replaced = 0;
  for (const id of prepared.keys()) if (vectors.rows.has(table.slots.get(id) ?? -1)) replaced += 1;
  // If all vectors are replaced at once, the new ones may come from another model.
  let dimensions = replaced === vectors.rows.size ? 0 : vectors.dimensions;
  for (const { document } of prepared.values()) {
    if (document.vector === undefined) continue;
    checkVector(document.vector, dimensions, `the document ${JSON.stringify(document.id)}`);
    dimensions = document.vector.length;
  }
}
