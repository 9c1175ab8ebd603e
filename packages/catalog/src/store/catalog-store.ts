import type { ResourceChange } from "../record/diff-resource.ts";
import type { ResourceRecord } from "../record/resource-record.ts";

/** A record with the version of its last write. */
export interface StoredResource {
  record: ResourceRecord;
  /** The store's version when it was written: from 1, another one after every write. */
  version: number;
}

/** What happened to a resource, and when. */
export interface HistoryEntry {
  id: string;
  kind: "registered" | "changed" | "removed";
  /** The record's `rev` afterwards; before, for `removed`. */
  rev: number;
  /** ISO 8601. */
  at: string;
  schema_hash: string;
  cap_hash: string;
  /** Empty for `registered` and `removed`. */
  changes: ResourceChange[];
}

/** One write of a batch: a record, or nothing in its place. */
export interface ResourceWrite {
  id: string;
  /** Undefined removes. */
  record: ResourceRecord | undefined;
  /** The version that the writer read; 0 where there was no record. */
  expectedVersion: number;
  /** Added to the resource's history, which outlives it. */
  entry?: HistoryEntry | undefined;
}

/** An id that was written after a version. */
export interface ChangedId {
  id: string;
  version: number;
  isRemoved: boolean;
}

/** A page of what changed, oldest first; a resource that changed twice stands at its last change only. */
export interface ChangePage {
  changes: ChangedId[];
  /** Where the next page begins: the version of the last change, or what was given where there is none. */
  after: number;
  hasMore: boolean;
}

/** A page of records, by id in the order of code units. */
export interface ResourcePage {
  resources: StoredResource[];
  /** Absent on the last page. */
  cursor?: string | undefined;
}

/** A page of a resource's history, newest first. */
export interface HistoryPage {
  entries: HistoryEntry[];
  /** Absent on the last page. */
  cursor?: string | undefined;
}

/** What every call of a store takes. */
export interface StoreCallOptions {
  signal?: AbortSignal | undefined;
}

/** Which part of a listing is asked for. */
export interface StorePageOptions extends StoreCallOptions {
  /** From the page before. */
  cursor?: string | undefined;
  /** 100 by default, at most 1,000. */
  limit?: number | undefined;
}

/** Vectors of one embedder, by the SHA-256 of the text that was embedded. */
export interface VectorEntry {
  hash: string;
  vector: Float32Array;
}

/**
 * Where a catalog is kept: records, their history and the vectors of their texts. Records come back equal to the byte
 * of their canonical JSON and are never shared with the caller for writing. Every promise rejects with a `CatalogError`: `conflict`,
 * `store_damaged`, `store_failed`, `invalid_options`, `closed` or `aborted`.
 */
export interface CatalogStore {
  name: string;
  /**
   * Writes all or nothing and gives the store's version afterwards. No writes change nothing.
   * @throws CatalogError `conflict` when any record has another version than expected; `details.ids` names them.
   *   `invalid_options` for two writes to one id, or a record with another id
   */
  write(writes: readonly ResourceWrite[], options?: StoreCallOptions): Promise<number>;
  /** One answer an id, in the order asked; undefined where there is none. */
  read(ids: readonly string[], options?: StoreCallOptions): Promise<(StoredResource | undefined)[]>;
  list(options?: StorePageOptions): Promise<ResourcePage>;
  /** What was written after a version, removals included, at most `limit` (1,000 by default and at most). */
  changesAfter(
    version: number,
    options?: StoreCallOptions & { limit?: number | undefined },
  ): Promise<ChangePage>;
  /** Newest first; outlives the record. */
  history(id: string, options?: StorePageOptions): Promise<HistoryPage>;
  /** Those that are kept, in any order. */
  loadVectors(
    embedder: string,
    hashes: readonly string[],
    options?: StoreCallOptions,
  ): Promise<VectorEntry[]>;
  /** Keeps vectors; one that is kept already may stay as it is. */
  saveVectors(
    embedder: string,
    entries: readonly VectorEntry[],
    options?: StoreCallOptions,
  ): Promise<void>;
  /** Later calls fail with `closed`. Closing twice does nothing. */
  close(): Promise<void>;
}
