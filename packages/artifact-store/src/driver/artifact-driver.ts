import type { ArtifactHandle, ListHandlesOptions, HandlePage, StoreLimits } from "../artifact-store.ts";

/** Bytes of one hashed chunk; the last one of a blob may be shorter. */
export const chunkBytes: number = 1024 * 1024;

/** What is kept about a blob beside its bytes. */
export interface BlobRecord {
  artifactId: string;
  sizeBytes: number;
  /** SHA-256 of each chunk, 32 bytes a chunk in order; empty for an empty blob. */
  chunkHashes: Uint8Array;
}

/** A stream of unknown length that waits, invisible to readers, for its commit. */
export interface StagedBlob {
  /** Appends one piece; all but the last piece are of `chunkBytes`. */
  write(piece: Uint8Array): Promise<void>;
  /** Drops what was written. Does nothing after a commit. */
  discard(): Promise<void>;
}

/** A blob and one reference to it, to be kept together. */
export interface BlobPut {
  record: BlobRecord;
  /** Whole bytes of at most `maxInlineBytes`, or what the driver itself staged. */
  content: Uint8Array | StagedBlob;
  handle: ArtifactHandle;
}

/** What a commit found: the blob was written, or one of that id was there (its bytes were not read). */
export type CommitOutcome = "written" | "present";

/** A blob that was found, as it lies there; nothing is checked yet. */
export interface StoredBlob {
  record: BlobRecord;
  /** True when `quarantine` set it aside. */
  isQuarantined: boolean;
  /** All bytes, where the driver had them at hand anyway (small blobs); saves a second trip. */
  bytes?: Uint8Array;
  /** Bytes of whole chunks: chunk `firstChunk` up to, not including, `endChunk`, in pieces of any size. */
  read(firstChunk: number, endChunk: number): AsyncIterable<Uint8Array>;
}

/**
 * What a backend implements; `createArtifactStore` makes an `ArtifactStore` of it and brings ids, hashing, verification,
 * ranges, summaries and errors. A driver never interprets content, and gets only ids that are 64 hex digits.
 *
 * Rules:
 * 1. `commit` is atomic: after a crash all its puts are there or none; when it resolves they are as durable as promised,
 *    and no reader, in this process or another, ever sees a handle whose blob is missing or half written.
 * 2. A blob is never changed in place, and freed only by `collect` or an eviction, when no handle names it at that moment;
 *    a commit of the same id that meets a collection ends with the blob there.
 * 3. Errors of the backend are thrown as they come; the store wraps them.
 */
export interface ArtifactDriver {
  /** For messages, e.g. `sqlite`. */
  readonly name: string;
  /** Contents of up to this many bytes are committed as bytes, longer ones are staged; 1 MiB by default. */
  readonly maxInlineBytes?: number;
  stage(options: { signal?: AbortSignal }): Promise<StagedBlob>;
  /** Outcomes in the order of the puts. Checks `maxSessionBytes` and `maxStoreBytes` in its own transaction. */
  commit(puts: readonly BlobPut[], options: { limits: StoreLimits; signal?: AbortSignal }): Promise<CommitOutcome[]>;
  /** Puts right bytes in the place of damaged ones, atomically, and lifts a quarantine; references stay as they are. */
  mend(record: BlobRecord, content: Uint8Array | StagedBlob, options: { signal?: AbortSignal }): Promise<void>;
  /** Undefined where there is no blob, or one without any handle. */
  find(artifactId: string, options: { signal?: AbortSignal }): Promise<StoredBlob | undefined>;
  getHandles(artifactId: string, options: { signal?: AbortSignal }): Promise<ArtifactHandle[]>;
  /** Oldest first by `handleId`. The cursor is the driver's own; one it did not make is refused with `invalid_input`. */
  listHandles(options: ListHandlesOptions & { limit: number }): Promise<HandlePage>;
  /** Removes the handles of the artifact that match both given fields; how many there were. */
  removeHandles(
    artifactId: string,
    match: { handleId?: string; sessionId?: string; signal?: AbortSignal },
  ): Promise<number>;
  /** Frees blobs whose last commit and last reference both ended before `before`, milliseconds since the epoch. */
  collect(options: {
    before: number;
    dryRun: boolean;
    signal?: AbortSignal;
  }): Promise<{ artifactId: string; sizeBytes: number }[]>;
  /** All ids that have a blob or a handle, sorted, page by page: those after `after`. */
  listIds(options: { after?: string; limit: number; signal?: AbortSignal }): Promise<string[]>;
  /** Sets a damaged blob aside, so that later reads need not find out again. */
  quarantine(artifactId: string): Promise<void>;
  close(): Promise<void>;
}
