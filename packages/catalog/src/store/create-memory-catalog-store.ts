import { cursorOffset, pageLimit } from "@ccl/core/paging";
import { deepFreeze } from "@ccl/core/json";
import { throwIfAborted } from "@ccl/core/async";
import { compareCodeUnits } from "@ccl/core";
import { CatalogError } from "../catalog-error.ts";
import type {
  CatalogStore,
  ChangedId,
  HistoryEntry,
  StoredResource,
  VectorEntry,
} from "./catalog-store.ts";
import {
  changePageSizes,
  conflictError,
  requireVersion,
  requireWrites,
  storePageSizes,
} from "./store-input.ts";

/** A catalog for as long as the process lives. Records are frozen and given out as they are, without a copy. */
export function createMemoryCatalogStore(): CatalogStore {
  const resources = new Map<string, StoredResource>();
  const histories = new Map<string, HistoryEntry[]>();
  const vectors = createVectorShelf();
  /** Insertion order is the order of versions: a change deletes and sets. */
  const changes = new Map<string, ChangedId>();
  let sortedIds: string[] | undefined;
  let version = 0;
  let isClosed = false;
  const begin = (signal: AbortSignal | undefined): void => {
    throwIfAborted(signal, CatalogError);
    if (isClosed) throw new CatalogError("closed", "The catalog store is closed.");
  };
  return {
    name: "memory",
    async write(writes, { signal } = {}) {
      begin(signal);
      requireWrites(writes);
      const late = writes.filter(
        ({ id, expectedVersion }) => (resources.get(id)?.version ?? 0) !== expectedVersion,
      );
      if (late.length > 0) throw conflictError(late.map(({ id }) => id));
      for (const { id, record, entry } of writes) {
        version += 1;
        if (record === undefined) resources.delete(id);
        else resources.set(id, { record: frozenCopy(record), version });
        changes.delete(id);
        changes.set(id, { id, version, isRemoved: record === undefined });
        if (entry !== undefined)
          histories.set(id, [...(histories.get(id) ?? []), frozenCopy(entry)]);
      }
      if (writes.length > 0) sortedIds = undefined;
      return version;
    },
    async read(ids, { signal } = {}) {
      begin(signal);
      return ids.map((id) => resources.get(id));
    },
    async list({ cursor, limit, signal } = {}) {
      begin(signal);
      const size = pageLimit(limit, storePageSizes, CatalogError);
      sortedIds ??= [...resources.keys()].sort(compareCodeUnits);
      const start = cursor === undefined ? 0 : firstAfter(sortedIds, cursor);
      const page = sortedIds.slice(start, start + size).flatMap((id) => resources.get(id) ?? []);
      const last = page.at(-1)?.record.id;
      return start + size < sortedIds.length && last !== undefined
        ? { resources: page, cursor: last }
        : { resources: page };
    },
    async changesAfter(after, { limit, signal } = {}) {
      begin(signal);
      requireVersion(after);
      const size = pageLimit(limit, changePageSizes, CatalogError);
      if (after >= version) return { changes: [], after, hasMore: false };
      const later = [...changes.values()].filter((change) => change.version > after);
      const page = later.slice(0, size);
      return { changes: page, after: page.at(-1)?.version ?? after, hasMore: later.length > size };
    },
    async history(id, { cursor, limit, signal } = {}) {
      begin(signal);
      const size = pageLimit(limit, storePageSizes, CatalogError);
      const entries = histories.get(id) ?? [];
      // Counted from the oldest, so that new entries do not move it.
      const end =
        cursor === undefined
          ? entries.length
          : Math.min(cursorOffset(cursor, CatalogError), entries.length);
      const start = Math.max(0, end - size);
      const page = entries.slice(start, end).reverse();
      return start > 0 ? { entries: page, cursor: String(start) } : { entries: page };
    },
    async loadVectors(embedder, hashes, { signal } = {}) {
      begin(signal);
      return vectors.load(embedder, hashes);
    },
    async saveVectors(embedder, entries, { signal } = {}) {
      begin(signal);
      vectors.save(embedder, entries);
    },
    async close() {
      isClosed = true;
    },
  };
}

interface VectorShelf {
  load(embedder: string, hashes: readonly string[]): VectorEntry[];
  save(embedder: string, entries: readonly VectorEntry[]): void;
}

function createVectorShelf(): VectorShelf {
  const vectors = new Map<string, Map<string, Float32Array>>();
  return {
    load(embedder, hashes) {
      const kept = vectors.get(embedder);
      return hashes.flatMap((hash) => {
        const vector = kept?.get(hash);
        return vector === undefined ? [] : [{ hash, vector: vector.slice() }];
      });
    },
    save(embedder, entries) {
      const kept = vectors.get(embedder) ?? new Map<string, Float32Array>();
      vectors.set(embedder, kept);
      for (const { hash, vector } of entries) kept.set(hash, vector.slice());
    },
  };
}

/** Where the ids after one begin, in a sorted list. */
function firstAfter(ids: readonly string[], id: string): number {
  let low = 0;
  let high = ids.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ids[middle] ?? "") <= id) low = middle + 1;
    else high = middle;
  }
  return low;
}

function frozenCopy<Value>(value: Value): Value {
  return deepFreeze(structuredClone(value));
}
