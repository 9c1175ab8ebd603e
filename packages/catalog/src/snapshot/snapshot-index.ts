import { throwIfAborted } from "@ccl/core/async";
import { CatalogError } from "../catalog-error.ts";
import { indexVariants } from "../access/search-variants.ts";
import {
  createMemorySearchIndex,
  type MemorySearchIndex,
} from "../search/create-memory-search-index.ts";
import type { SearchIndex } from "../search/search-index.ts";
import { headOf, readSaved, writeSaved } from "./saved-index.ts";
import type { ResourceRecord } from "../record/resource-record.ts";

/** An index that is filled on the first search. */
export interface SnapshotIndex extends SearchIndex {
  /** Serializes the index. Returns undefined if the loaded index is identical. */
  save(signal: AbortSignal | undefined): Promise<Uint8Array | undefined>;
}

interface Filled {
  index: MemorySearchIndex;
  isAsSaved: boolean;
}

/** Creates an index from the saved one and applies the differences to match the records. */
export function createSnapshotIndex(
  records: readonly SnapshotRecord[],
  loadSaved: (() => Promise<Uint8Array | undefined>) | undefined,
): SnapshotIndex {
  let filling: Promise<Filled> | undefined;
  const filled = async (signal: AbortSignal | undefined): Promise<Filled> => {
    throwIfAborted(signal, CatalogError);
    // Ignores the signal of the first call, since other calls may wait for the same promise.
    filling ??= fill(records, loadSaved);
    const done = await filling.catch((error: unknown) => {
      filling = undefined;
      throw error;
    });
    throwIfAborted(signal, CatalogError);
    return done;
  };
  return {
    name: "snapshot",
    put: () => Promise.reject(readOnly()),
    remove: () => Promise.reject(readOnly()),
    searchText: async (query, call = {}) =>
      (await filled(call.signal)).index.searchText(query, call),
    searchVector: async (query, call = {}) =>
      (await filled(call.signal)).index.searchVector(query, call),
    countFacets: async (query, call = {}) =>
      (await filled(call.signal)).index.countFacets(query, call),
    async save(signal) {
      const { index, isAsSaved } = await filled(signal);
      return isAsSaved ? undefined : writeSaved(currentHead(records), index.save());
    },
  };
}

async function fill(
  records: readonly SnapshotRecord[],
  loadSaved: (() => Promise<Uint8Array | undefined>) | undefined,
): Promise<Filled> {
  const index = createMemorySearchIndex();
  const bytes = await loadSaved?.();
  const saved = bytes === undefined ? undefined : readSaved(bytes, currentHead(records));
  const isRestored = saved !== undefined && restores(index, saved.index);
  const before = isRestored ? saved.hashes : new Map<string, string>();
  if (before === undefined) return { index, isAsSaved: true };
  const ids = new Set(records.map(({ record }) => record.id));
  const removed = [...before.keys()].filter((id) => !ids.has(id));
  const fresh = records.filter(({ record, hash }) => before.get(record.id) !== hash);
  if (removed.length > 0) await index.remove(removed);
  if (fresh.length > 0) {
    const variants = fresh.flatMap(({ record }) => indexVariants(record, undefined));
    await index.put(variants.map((record) => ({ record })));
  }
  return { index, isAsSaved: isRestored && removed.length === 0 && fresh.length === 0 };
}

/** Restores the saved index. Returns false if it cannot be used. */
function restores(index: MemorySearchIndex, saved: Uint8Array): boolean {
  try {
    index.restore(saved);
    return true;
  } catch (error) {
    if (CatalogError.isInstance(error)) return false;
    throw error;
  }
}

function currentHead(records: readonly SnapshotRecord[]): string {
  return headOf(records.map(({ record, hash }) => [record.id, hash]));
}

function readOnly(): CatalogError {
  return new CatalogError(
    "invalid_options",
    "The index of a snapshot follows its records and cannot be written.",
  );
}

/** A record as it was read. */
export interface SnapshotRecord {
  record: ResourceRecord;
  /** Hash of the record's content. Two records with the same id and hash count as equal. */
  hash: string;
}
