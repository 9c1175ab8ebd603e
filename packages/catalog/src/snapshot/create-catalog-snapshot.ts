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

/** What a snapshot is made of. */
export interface CatalogSnapshotOptions {
  /** Whole ones, as a store or `fromCatalogFiles` gives them; not checked again. No id twice. */
  records: readonly SnapshotRecord[];
  /** Gives what `save` gave for other records, or these; undefined where there is none. Asked for when there is something to search. */
  loadSaved?: (() => Promise<Uint8Array | undefined>) | undefined;
  /** The main model's; an estimate where absent, under which a tenth of every budget is kept back. */
  counter?: TokenCounter | undefined;
  clock?: Clock | undefined;
}

/** A catalog that nobody writes to. It answers as a catalog without access rules does to a call without a principal. */
export interface CatalogSnapshot extends CatalogReader {
  /**
   * The search index of the records as bytes, for `loadSaved` of the next snapshot; undefined where what was loaded is
   * that already.
   */
  save(options?: { signal?: AbortSignal | undefined }): Promise<Uint8Array | undefined>;
}

/**
 * A catalog over records as they are now. Only those that the saved index lacks are read into it, so that a process of
 * one question answers soon; a saved index that is damaged, or of another version, is made anew.
 * @throws CatalogError `invalid_options` for an id that occurs twice
 */
export function createCatalogSnapshot(options: CatalogSnapshotOptions): CatalogSnapshot {
  const { records, loadSaved, counter = estimatedCounter, clock = systemClock } = options;
  const held = hold(records);
  const visibleSets = createVisibleSets(held, undefined);
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

function hold(records: readonly SnapshotRecord[]): HeldRecords {
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
