import { throwIfAborted } from "@ccl/core/async";
import {
  estimatedCounter,
  systemClock,
  type Clock,
  type TokenCounter,
  compareCodeUnits,
} from "@ccl/core";

import { CatalogError } from "../catalog-error.ts";
import { createCatalogReader, type CatalogReader } from "../catalog/create-catalog-reader.ts";
import { createVisibleSets, type HeldRecords } from "../catalog/visible-set.ts";
import { createSnapshotIndex, type SnapshotRecord } from "./snapshot-index.ts";

/** Options of `createCatalogSnapshot`. */
export interface CatalogSnapshotOptions {
  /** Complete records from a store or `fromCatalogFiles`. They are not checked again. Ids must be unique. */
  records: readonly SnapshotRecord[];
  /**
   * Returns the bytes that `save` returned, for these or other records. Undefined if there are
   * none. Called on the first search.
   */
  loadSaved?: (() => Promise<Uint8Array | undefined>) | undefined;
  /**
   * Token counter of the main model. By default an estimate, which holds back a tenth of every
   * budget.
   */
  counter?: TokenCounter | undefined;
  clock?: Clock | undefined;
}

/**
 * A read-only catalog. It answers like a catalog without access rules that is called without a
 * principal.
 */
export interface CatalogSnapshot extends CatalogReader {
  /**
   * Serializes the search index for `loadSaved` of the next snapshot. Undefined if the loaded index
   * is already the same.
   */
  save(options?: { signal?: AbortSignal | undefined }): Promise<Uint8Array | undefined>;
}

/**
 * Creates a catalog over fixed records. It indexes only records that the saved index lacks, so a
 * process with a single question can answer quickly. A saved index that is damaged or from another
 * version is rebuilt.
 * @throws CatalogError `invalid_options` if an id occurs twice
 */
export function createCatalogSnapshot(options: CatalogSnapshotOptions): CatalogSnapshot {
  const { records, loadSaved, counter = estimatedCounter, clock = systemClock } = options;
  const resident = createHeldRecords(records);
  const visibleSets = createVisibleSets(resident, undefined);
  const index = createSnapshotIndex(records, loadSaved);
  const reader = createCatalogReader({
    index,
    counter,
    clock,
    access: undefined,
    vectors: undefined,
    dimensions: undefined,
    weights: undefined,
    fillVectors: async () => undefined,
    async look(principal, signal) {
      throwIfAborted(signal, CatalogError);
      return visibleSets(principal);
    },
  });
  return { ...reader, save: ({ signal } = {}) => index.save(signal) };
}

function createHeldRecords(records: readonly SnapshotRecord[]): HeldRecords {
  const byId = new Map(records.map(({ record }) => [record.id, record]));
  if (byId.size < records.length)
    throw new CatalogError("invalid_options", "Two records of a snapshot have one id.");
  let sortedIds: readonly string[] | undefined;
  return {
    version: 1,
    get: (id) => byId.get(id),
    ids: () => (sortedIds ??= [...byId.keys()].sort(compareCodeUnits)),
  };
}
