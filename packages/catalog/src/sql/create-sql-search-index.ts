import { CatalogError } from "../catalog-error.ts";
import { throwIfAborted } from "@ccl/core/async";
import type { Analyzer, TextWeights } from "@ccl/search";
import { checkLimit, countFacets } from "@ccl/search/engine";

import type { SearchIndex } from "../search/search-index.ts";
import { indexDocuments } from "./indexed-document.ts";
import { createResidentHolder, follow, searchNear, searchWords } from "./search-steps.ts";
import { createSqlCalls } from "./sql-calls.ts";
import type { SqlRunner } from "./sql-runner.ts";
import { putDocuments, removeDocuments } from "./write-documents.ts";

/** An index in a database: it answers as the one in memory does, and several processes may use and change it. */
export interface SqlSearchIndex extends SearchIndex {
  /** Later calls fail with `closed`; the database stays open. Closing twice does nothing. */
  close(): Promise<void>;
}

/** What an index over tables works with. */
export interface SqlSearchIndexParts {
  runner: SqlRunner;
  analyzer: Analyzer;
  weights: TextWeights;
}

/** An index over tables that are there. A change applies whole or not at all, in the order in which they are asked for. */
export function createSqlSearchIndex({
  runner,
  analyzer,
  weights,
}: SqlSearchIndexParts): SqlSearchIndex {
  const { dialect } = runner;
  const calls = createSqlCalls(runner, { part: "index" });
  const holder = createResidentHolder();
  let lastChange: Promise<void> = Promise.resolve();
  const change = (task: () => Promise<void>): Promise<void> => {
    const done = lastChange.then(task);
    lastChange = done.catch(() => undefined);
    return done;
  };
  return {
    name: dialect.name,
    async put(documents, { signal } = {}) {
      calls.begin(signal);
      await change(async () => {
        throwIfAborted(signal, CatalogError);
        const indexed = await indexDocuments(documents, analyzer, signal);
        if (indexed.length > 0) await calls.write(() => putDocuments(dialect, indexed), signal);
      });
    },
    async remove(ids, { signal } = {}) {
      calls.begin(signal);
      const own = [...new Set(ids)];
      await change(async () => {
        throwIfAborted(signal, CatalogError);
        if (own.length > 0) await calls.write(() => removeDocuments(dialect, own), signal);
      });
    },
    async searchText({ text, filter, limit }, { signal } = {}) {
      calls.begin(signal);
      const search = { words: analyzer.queryWords(text), weights, filter, limit };
      return calls.read(() => searchWords(dialect, holder, search), signal);
    },
    async searchVector({ vector, filter, limit }, { signal } = {}) {
      calls.begin(signal);
      const search = { vector: vector.slice(), filter, limit };
      return calls.read(() => searchNear(dialect, holder, search), signal);
    },
    async countFacets(query, { signal } = {}) {
      calls.begin(signal);
      await calls.read(() => {
        checkLimit(query.limit);
        return follow(holder);
      }, signal);
      return countFacets(holder.current.table, query);
    },
    async close() {
      const closing = calls.close();
      await lastChange;
      await closing;
    },
  };
}
