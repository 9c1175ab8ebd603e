import { CatalogError } from "../catalog-error.ts";
import { cursorOffset, pageLimit } from "@ccl/core/paging";
import type { CatalogStore, VectorEntry } from "../store/catalog-store.ts";
import {
  changePageSizes,
  requireVersion,
  requireWrites,
  storePageSizes,
} from "../store/store-input.ts";
import { createSqlCalls } from "./sql-calls.ts";
import type { SqlRunner } from "./sql-runner.ts";
import {
  listChanges,
  listHistory,
  listResources,
  prepareWrites,
  readResources,
  readVectors,
  readVersion,
  writeResources,
  writeVectors,
} from "./store-steps.ts";

/** A store over tables that are there. */
export function createSqlCatalogStore(runner: SqlRunner, onClose?: () => void): CatalogStore {
  const { dialect } = runner;
  const calls = createSqlCalls(runner, onClose);
  return {
    name: dialect.name,
    async write(writes, { signal } = {}) {
      calls.begin(signal);
      requireWrites(writes);
      const own = prepareWrites(writes);
      if (own.length === 0) return calls.read(readVersion, signal);
      return calls.write(() => writeResources(dialect, own), signal);
    },
    async read(ids, { signal } = {}) {
      calls.begin(signal);
      const own = [...ids];
      return own.length === 0 ? [] : calls.read(() => readResources(dialect, own), signal);
    },
    async list({ cursor, limit, signal } = {}) {
      calls.begin(signal);
      const size = pageLimit(limit, storePageSizes, CatalogError);
      return calls.read(() => listResources(cursor, size), signal);
    },
    async changesAfter(version, { limit, signal } = {}) {
      calls.begin(signal);
      requireVersion(version);
      const size = pageLimit(limit, changePageSizes, CatalogError);
      return calls.read(() => listChanges(version, size), signal);
    },
    async history(id, { cursor, limit, signal } = {}) {
      calls.begin(signal);
      const size = pageLimit(limit, storePageSizes, CatalogError);
      const before =
        cursor === undefined ? Number.MAX_SAFE_INTEGER : cursorOffset(cursor, CatalogError);
      return calls.read(() => listHistory(id, before, size), signal);
    },
    async loadVectors(embedder, hashes, { signal } = {}) {
      calls.begin(signal);
      const own = [...hashes];
      return own.length === 0 ? [] : calls.read(() => readVectors(dialect, embedder, own), signal);
    },
    async saveVectors(embedder, entries, { signal } = {}) {
      calls.begin(signal);
      const own = entries.map(({ hash, vector }): VectorEntry => ({
        hash,
        vector: vector.slice(),
      }));
      if (own.length > 0) await calls.write(() => writeVectors(embedder, own), signal);
    },
    close: () => calls.close(),
  };
}
