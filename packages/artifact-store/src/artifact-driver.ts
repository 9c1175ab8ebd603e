import type { ArtifactHandle, HandleKey, StoreLimits } from "./artifact-store.ts";

/** Bytes of one hashed chunk; the last one of a blob may be shorter. */
export const chunkBytes: number = 1024 * 1024;

/** What is kept about a blob beside its bytes. */
export interface BlobRecord {
  artifactId: string;
  sizeBytes: number;
  /**
   * Kept as it is; a driver does not interpret it. Empty for blobs of at most one chunk, whose id is that chunk's hash;
   * else 16 bytes for each chunk in order and a checksum of the record of 32 bytes.
   */
  chunkHashes: Uint8Array;
}

/** A stream of unknown length that waits, invisible to readers, for its commit. */
export interface StagedBlob {
  /** Appends one piece; all but the last one are of `chunkBytes`. The piece may be written over once the promise resolves. */
  write(piece: Uint8Array): Promise<void>;
  /** Drops what was written. Always called in the end; does nothing to bytes that a commit or a repair took. */
  discard(): Promise<void>;
}

/** A blob and its new references, to be kept together. */
export interface BlobPut {
  record: BlobRecord;
  /** Whole bytes of at most `maxInlineBytes`, the driver's to keep, or what the driver itself staged. */
  content: Uint8Array | StagedBlob;
  /** At least one. A handle that is there already (same `handleId` and `artifactId`) stays as it is. */
  handles: readonly ArtifactHandle[];
}

/** What a commit found: the blob was written, or one of that id was there (its bytes were not read). */
export type CommitOutcome = "written" | "present";

/** A blob that was found, as it lies there; nothing is checked yet. */
export interface StoredBlob {
  record: BlobRecord;
  /** True when `quarantine` set it aside. */
  isQuarantined: boolean;
  /** All bytes, where the driver had them at hand anyway (small blobs); saves a second trip. The reader's to keep. */
  bytes?: Uint8Array | undefined;
  /** Bytes of whole chunks: chunk `firstChunk` up to, not including, `endChunk`, in pieces of any size, the reader's to keep. */
  read(firstChunk: number, endChunk: number): AsyncIterable<Uint8Array>;
}

/** When a change is made, and what calls it off. */
export interface DriverWriteOptions {
  /** Milliseconds since the epoch by the store's clock; what `collect` later compares with. */
  now: number;
  signal?: AbortSignal | undefined;
}

/** A handle that is there, but whose fields are damaged. */
interface DamagedHandle extends HandleKey {
  isDamaged: true;
}

/** A handle as a driver found it. */
export type FoundHandle = ArtifactHandle | DamagedHandle;

/** Which handles a driver lists. */
export interface DriverListOptions {
  sessionId?: string | undefined;
  source?: string | undefined;
  /** Only handles after this one: of a greater `handleId`, or of the same one and a greater `artifactId`. */
  after?: HandleKey | undefined;
  limit: number;
  signal?: AbortSignal | undefined;
}

/** Which unreferenced blobs a driver frees. */
export interface DriverCollectOptions {
  /** Those whose last commit and last reference both ended at or before this time. */
  until: number;
  /** Only these, where given. */
  artifactIds?: readonly string[] | undefined;
  /** True: say what would go, remove nothing. */
  isDryRun: boolean;
  signal?: AbortSignal | undefined;
}

/** A blob that was freed, or would be by a dry run. */
export type FreedBlob = Pick<BlobRecord, "artifactId" | "sizeBytes">;

/**
 * What a backend implements; `createArtifactStore` makes an `ArtifactStore` of it and brings ids, hashing, verification,
 * ranges, summaries and errors. A driver never interprets content, and gets only artifact ids of 64 hex digits, handle ids
 * of `[0-9A-Za-z_-]`, and texts without control characters or lone surrogates.
 *
 * Rules:
 * 1. `commit` is atomic: after a crash all its puts are there or none; when it resolves they are as durable as promised,
 *    and no reader, in this process or another, ever sees a handle whose blob is missing or half written.
 * 2. A blob is never changed in place, and freed only by `collect` or an eviction, when no handle names it at that moment;
 *    a commit of the same id that meets a collection ends with the blob there.
 * 3. A handle's name is its `handleId` together with its `artifactId`: handles of one id under two artifacts never touch.
 * 4. Errors of the backend are thrown as they come; the store wraps them.
 * 5. A handle is kept with a checksum, and one that does not match is returned as damaged, never left out.
 */
export interface ArtifactDriver {
  /** For messages, e.g. `sqlite`. */
  readonly name: string;
  /** Contents of up to this many bytes are committed as bytes, longer ones are staged; 1 MiB by default. */
  readonly maxInlineBytes?: number | undefined;
  stage(options: { signal?: AbortSignal | undefined }): Promise<StagedBlob>;
  /**
   * Outcomes in the order of the puts, whose ids differ. Checks `maxSessionBytes` and `maxStoreBytes` in its own transaction
   * as `StoreLimits` says (the store has checked each artifact alone) and throws `limit_exceeded`. A limit is checked where
   * the commit adds bytes to its sum: blobs that were not there, or that the session had no handle of. Artifacts of the
   * commit never lose a handle to an eviction.
   */
  commit(
    puts: readonly BlobPut[],
    options: DriverWriteOptions & { limits: StoreLimits },
  ): Promise<CommitOutcome[]>;
  /** Puts right bytes and a right record in the place of damaged ones, atomically, and lifts a quarantine; references stay. */
  repair(
    record: BlobRecord,
    content: Uint8Array | StagedBlob,
    options: DriverWriteOptions,
  ): Promise<void>;
  /** Undefined where there is no blob, or one without any handle. One that was set aside is still found. */
  find(
    artifactId: string,
    options: { signal?: AbortSignal | undefined },
  ): Promise<StoredBlob | undefined>;
  /** By `handleId`, rising. */
  getHandles(
    artifactId: string,
    options: { signal?: AbortSignal | undefined },
  ): Promise<FoundHandle[]>;
  /** By `handleId`, then by `artifactId`, rising in the order of code units; at most `limit` of those that match. */
  listHandles(options: DriverListOptions): Promise<FoundHandle[]>;
  /** Removes the handles of the artifact that match all given fields; how many there were. */
  removeHandles(
    artifactId: string,
    match: { handleId?: string | undefined; sessionId?: string | undefined },
    options: DriverWriteOptions,
  ): Promise<number>;
  collect(options: DriverCollectOptions): Promise<FreedBlob[]>;
  /** All ids that have a handle, sorted, page by page: those greater than `after`. */
  listIds(options: {
    after?: string | undefined;
    limit: number;
    signal?: AbortSignal | undefined;
  }): Promise<string[]>;
  /** Sets a damaged blob aside, so that later reads need not find out again. */
  quarantine(artifactId: string): Promise<void>;
  /** Rejects with `damaged` if the backend has lost entries that no other call would miss. */
  checkStructure?(): Promise<void>;
  close(): Promise<void>;
}
