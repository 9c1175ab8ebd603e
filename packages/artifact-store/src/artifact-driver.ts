import type { ArtifactHandle, HandleKey, StoreLimits } from "./artifact-store.ts";

/** Size of a hashed chunk in bytes. The last chunk of a blob may be shorter. */
export const chunkBytes: number = 1024 * 1024;

/** Metadata stored with a blob's bytes. */
export interface BlobRecord {
  artifactId: string;
  sizeBytes: number;
  /**
   * Stored as it is. A driver does not interpret it. Empty for blobs of up to one chunk, whose id is that chunk's hash.
   * Otherwise 16 bytes per chunk, in order, and a 32-byte checksum of the record.
   */
  chunkHashes: Uint8Array;
}

/** A stream of unknown length that has not been committed yet. Readers cannot see it. */
export interface StagedBlob {
  /**
   * Appends a piece. All except the last have `chunkBytes`. The caller may reuse the buffer once the promise resolves.
   */
  write(piece: Uint8Array): Promise<void>;
  /** Discards the written bytes, unless a commit or repair has taken them. Always called in the end. */
  discard(): Promise<void>;
}

/** A blob and its new references, which are stored together. */
export interface BlobPut {
  record: BlobRecord;
  /** All bytes, up to `maxInlineBytes`, or a blob that the driver itself staged. The driver owns the bytes. */
  content: Uint8Array | StagedBlob;
  /** One or more. A handle that already exists (same `handleId` and `artifactId`) is not changed. */
  handles: readonly ArtifactHandle[];
}

/** Whether a commit wrote the blob or found one with the same id, whose bytes it did not read. */
export type CommitOutcome = "written" | "present";

/** A blob as it is stored. Nothing has been verified yet. */
export interface StoredBlob {
  record: BlobRecord;
  /** True if `quarantine` was called for it. */
  isQuarantined: boolean;
  /** All bytes, if the driver already has them (small blobs), to save a second read. The reader owns them. */
  bytes?: Uint8Array | undefined;
  /**
   * Reads whole chunks from `firstChunk` up to, not including, `endChunk`, in pieces of any size. The reader owns them.
   */
  read(firstChunk: number, endChunk: number): AsyncIterable<Uint8Array>;
}

/** The time of a change, and the signal that aborts it. */
export interface DriverWriteOptions {
  /** Milliseconds since the epoch by the store's clock. `collect` later compares with it. */
  now: number;
  signal?: AbortSignal | undefined;
}

/** A handle that exists but has damaged fields. */
interface DamagedHandle extends HandleKey {
  isDamaged: true;
}

/** A handle as the driver read it. */
export type FoundHandle = ArtifactHandle | DamagedHandle;

/** Selects the handles that a driver lists. */
export interface DriverListOptions {
  sessionId?: string | undefined;
  source?: string | undefined;
  /** Lists only later handles: those with a greater `handleId`, or with the same one and a greater `artifactId`. */
  after?: HandleKey | undefined;
  limit: number;
  signal?: AbortSignal | undefined;
}

/** Selects the unreferenced blobs that a driver frees. */
export interface DriverCollectOptions {
  /** Frees blobs whose last commit and last reference both ended at or before this time. */
  until: number;
  /** If set, only these artifacts are considered. */
  artifactIds?: readonly string[] | undefined;
  /** If true, reports what would be freed but removes nothing. */
  isDryRun: boolean;
  signal?: AbortSignal | undefined;
}

/** A blob that was freed, or would be freed without `isDryRun`. */
export type FreedBlob = Pick<BlobRecord, "artifactId" | "sizeBytes">;

/**
 * The interface that a backend implements. `createArtifactStore` turns it into an `ArtifactStore` and adds ids,
 * hashing, verification, ranges, summaries and errors. A driver never interprets content. It only receives artifact ids
 * of 64 hex digits, handle ids of `[0-9A-Za-z_-]`, and strings without control characters or lone surrogates.
 *
 * Rules:
 * 1. `commit` is atomic: after a crash, either all its puts exist or none. Once it resolves, they are as durable as
 *    promised. No reader, in this process or another, ever sees a handle whose blob is missing or incomplete.
 * 2. A blob is never changed in place. Only `collect` or an eviction frees it, and only while no handle refers to it.
 *    If a commit of the same id runs during a collection, the blob exists afterwards.
 * 3. A handle is identified by its `handleId` and `artifactId`. The same id under two artifacts is two separate
 *    handles.
 * 4. Backend errors are thrown unchanged. The store wraps them.
 * 5. A handle is stored with a checksum. If it does not match, the handle is returned as damaged, never left out.
 */
export interface ArtifactDriver {
  /** Name used in messages, e.g. `sqlite`. */
  readonly name: string;
  /** Content up to this many bytes is committed as bytes, and longer content is staged. 1 MiB by default. */
  readonly maxInlineBytes?: number | undefined;
  stage(options: { signal?: AbortSignal | undefined }): Promise<StagedBlob>;
  /**
   * Returns outcomes in the order of the puts, whose ids differ. Checks `maxSessionBytes` and `maxStoreBytes` in its
   * own transaction, as `StoreLimits` describes, and throws `limit_exceeded`. (The store has already checked each
   * artifact by itself.) A limit is only checked if the commit adds bytes to its sum: new blobs, or blobs that the
   * session had no handle of. An eviction never removes handles of the commit's artifacts.
   */
  commit(
    puts: readonly BlobPut[],
    options: DriverWriteOptions & { limits: StoreLimits },
  ): Promise<CommitOutcome[]>;
  /** Atomically replaces damaged bytes and records with correct ones, and ends the quarantine. Keeps references. */
  repair(
    record: BlobRecord,
    content: Uint8Array | StagedBlob,
    options: DriverWriteOptions,
  ): Promise<void>;
  /** Returns undefined if there is no blob or it has no handle. Also finds quarantined blobs. */
  find(
    artifactId: string,
    options: { signal?: AbortSignal | undefined },
  ): Promise<StoredBlob | undefined>;
  /** Returns an artifact's handles, ordered by `handleId`. */
  getHandles(
    artifactId: string,
    options: { signal?: AbortSignal | undefined },
  ): Promise<FoundHandle[]>;
  /** Returns up to `limit` matching handles, ordered by `handleId`, then `artifactId`, by code units. */
  listHandles(options: DriverListOptions): Promise<FoundHandle[]>;
  /** Removes the artifact's handles that match all given fields. Returns how many it removed. */
  removeHandles(
    artifactId: string,
    match: { handleId?: string | undefined; sessionId?: string | undefined },
    options: DriverWriteOptions,
  ): Promise<number>;
  collect(options: DriverCollectOptions): Promise<FreedBlob[]>;
  /** Returns a sorted page of the ids that have a handle and are greater than `after`. */
  listIds(options: {
    after?: string | undefined;
    limit: number;
    signal?: AbortSignal | undefined;
  }): Promise<string[]>;
  /** Marks a blob as damaged, so that later reads need not detect it again. */
  quarantine(artifactId: string): Promise<void>;
  /** Rejects with `damaged` if the backend has lost entries that no other call would miss. */
  checkStructure?(): Promise<void>;
  close(): Promise<void>;
}
