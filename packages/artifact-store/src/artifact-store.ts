/**
 * Content to store: bytes, text, or a stream of bytes of any length. Text is stored as UTF-8, so lone surrogates are
 * rejected. Bytes are copied at the time of the call. To avoid copying long content that will not change, pass it as a
 * stream of one piece, which is read while it is written.
 */
export type ArtifactContent = string | Uint8Array | AsyncIterable<Uint8Array>;

/** A reference to a stored payload. The same bytes from two sources are one artifact with two handles. */
export interface ArtifactHandle {
  /** Identifies this reference among those of its artifact. A UUIDv7 unless imported, so that handles sort by time. */
  handleId: string;
  /** SHA-256 of the stored bytes, 64 lower-case hex digits. */
  artifactId: string;
  /** A short description for prompts, without secrets. */
  summary: string;
  sizeBytes: number;
  mimeType: string;
  /** Milliseconds since the epoch. */
  createdAt: number;
  /** What produced it, e.g. `tool:read_file`. */
  source: string;
  sessionId?: string | undefined;
}

/** Identifies a handle in a store. The same `handleId` under two artifacts is two handles. */
export type HandleKey = Pick<ArtifactHandle, "handleId" | "artifactId">;

/** Fields of a handle that was created elsewhere. They are stored unchanged. */
export interface ImportedHandle {
  /**
   * Storing the same payload under the same handle id again changes nothing and returns the existing handle. With
   * another payload it adds a second handle. Up to 64 characters of `[0-9A-Za-z_-]`.
   */
  handleId: string;
  createdAt: number;
  /**
   * Up to 65,536 characters. Neither redacted nor cut again, but `withEncryption` keeps only some 49,000 bytes, followed
   * by dots.
   */
  summary: string;
}

/** Fields of a payload's handle. Strings have 1 to 512 characters, without control characters or lone surrogates. */
export interface StoreOptions {
  source: string;
  /** Defaults to `text/plain; charset=utf-8` for text and `application/octet-stream` for bytes and streams. */
  mimeType?: string | undefined;
  sessionId?: string | undefined;
  /** Replaces the generated summary. Redacted, and cut to 4,000 characters. */
  summary?: string | undefined;
  /** For copies of artifacts and for stores that wrap another store. Cannot be combined with `summary`. */
  imported?: ImportedHandle | undefined;
  /** The expected id. If the content has another one, `id_mismatch` is thrown and nothing is stored. */
  expectedId?: string | undefined;
  signal?: AbortSignal | undefined;
}

/** One payload of `storeMany`. */
export interface StoreItem extends Omit<StoreOptions, "signal"> {
  content: ArtifactContent;
}

/** Bytes from `start` up to, not including, `end`, limited to the content. Like `subarray` without negative numbers. */
export interface ByteRange {
  start: number;
  /** Defaults to the end of the artifact. */
  end?: number | undefined;
}

/** Selects the part to read. */
export interface RetrieveOptions {
  range?: ByteRange | undefined;
  signal?: AbortSignal | undefined;
}

/** Selects the handles to list, and the page size. */
export interface ListHandlesOptions {
  sessionId?: string | undefined;
  source?: string | undefined;
  /** Cursor from the previous page. */
  cursor?: string | undefined;
  /** 100 by default, up to 1,000. */
  limit?: number | undefined;
  signal?: AbortSignal | undefined;
}

/**
 * A page of handles, ordered by `handleId` (oldest first), then `artifactId`. Handles that are added or removed while
 * paging never make others repeat or disappear.
 */
export interface HandlePage {
  handles: ArtifactHandle[];
  /**
   * Handles of the page with damaged fields. Absent if there are none. `delete` removes one. Storing it again as
   * `imported` replaces it.
   */
  damaged?: HandleKey[] | undefined;
  /** Absent on the last page. */
  cursor?: string | undefined;
}

/** Selects the references to remove. All by default. */
export interface DeleteOptions {
  handleId?: string | undefined;
  sessionId?: string | undefined;
  signal?: AbortSignal | undefined;
}

/** Selects the unreferenced blobs to free. */
export interface CollectGarbageOptions {
  /** Minimum time in milliseconds since the blob was last stored or lost its last reference. */
  graceMs: number;
  /** If set, only these artifacts are considered. */
  artifactIds?: readonly string[] | undefined;
  /** If true, reports what would be freed but removes nothing. */
  dryRun?: boolean | undefined;
  signal?: AbortSignal | undefined;
}

/** What a collection freed, or would free in a dry run. */
export interface GarbageReport {
  artifactIds: string[];
  freedBytes: number;
}

/** How much `verify` reads. */
export interface VerifyOptions {
  /** Number of blobs to check, chosen evenly by id. All by default. */
  sample?: number | undefined;
  signal?: AbortSignal | undefined;
}

/**
 * What `verify` found. Damaged blobs are quarantined: reading them fails with `damaged` until the same bytes are stored
 * again.
 */
export interface VerifyReport {
  checked: number;
  /** Sorted ids of blobs whose bytes do not hash to their id or cannot be read completely. */
  damaged: string[];
  /** Sorted ids that handles refer to but that have no bytes. */
  missing: string[];
  /** Damaged handles of the checked artifacts. Absent if there are none. */
  damagedHandles?: HandleKey[] | undefined;
}

/**
 * Limits of a store, checked in the put's own transaction. Each blob counts once. If a sum already exceeds its limit,
 * for example because the store was opened with smaller limits, nothing is rejected or evicted until a put adds bytes
 * to it.
 */
export interface StoreLimits {
  maxArtifactBytes?: number | undefined;
  /** Maximum total bytes of the artifacts that a session has handles of. */
  maxSessionBytes?: number | undefined;
  /** Maximum total bytes of all blobs, with or without handles. */
  maxStoreBytes?: number | undefined;
  /**
   * `reject` (default): the put fails with `limit_exceeded` and changes nothing. `evict`: the oldest handles of the
   * session or store are removed until the put fits. Blobs that lose their last handle this way are freed immediately.
   * For `maxStoreBytes`, blobs without a handle are freed first. An artifact that exceeds a limit by itself is always
   * rejected.
   */
  whenFull?: "reject" | "evict" | undefined;
}

/**
 * Content-addressed storage for payloads. Every promise rejects with an `ArtifactStoreError`. A returned handle is as
 * durable as the store promises. Content that cannot be stored completely is not stored at all.
 */
export interface ArtifactStore {
  /**
   * Stores the content and adds a reference to it. Bytes that already exist are verified, and repaired if damaged.
   * @throws ArtifactStoreError `invalid_input`, `id_mismatch`, `limit_exceeded`, `disk_full`, `unavailable`, `closed`,
   * `aborted`
   */
  store(content: ArtifactContent, options: StoreOptions): Promise<ArtifactHandle>;
  /**
   * Stores all items or none, in one transaction if the backend has transactions. Returns handles in the order of the
   * items.
   */
  storeMany(
    items: readonly StoreItem[],
    options?: { signal?: AbortSignal | undefined },
  ): Promise<ArtifactHandle[]>;
  /**
   * Returns the bytes after verifying their hash. Undefined if no handle refers to the artifact.
   * @throws ArtifactStoreError `invalid_id`, `invalid_input`, `damaged`, `unavailable`, `closed`, `aborted`
   */
  retrieve(artifactId: string, options?: RetrieveOptions): Promise<Uint8Array | undefined>;
  /**
   * Returns the bytes as a stream of pieces of any size, which can be read once. Each MiB is verified before any of it
   * is yielded.
   */
  retrieveStream(
    artifactId: string,
    options?: RetrieveOptions,
  ): Promise<AsyncIterable<Uint8Array> | undefined>;
  /** True if a blob with a handle exists and is not quarantined as damaged. */
  exists(artifactId: string, options?: { signal?: AbortSignal | undefined }): Promise<boolean>;
  /**
   * Returns the handles, oldest first. Empty for an unknown id. Leaves out damaged handles, which `listHandles`
   * reports.
   * @throws ArtifactStoreError `damaged` if all handles of the artifact are damaged
   */
  getHandles(
    artifactId: string,
    options?: { signal?: AbortSignal | undefined },
  ): Promise<ArtifactHandle[]>;
  listHandles(options?: ListHandlesOptions): Promise<HandlePage>;
  /** Removes the matching references. True if there were any. The bytes stay until `collectGarbage`. */
  delete(artifactId: string, options?: DeleteOptions): Promise<boolean>;
  /** Frees blobs that have had no reference for `graceMs`. Safe while the same bytes are being stored. */
  collectGarbage(options: CollectGarbageOptions): Promise<GarbageReport>;
  /**
   * @throws ArtifactStoreError `damaged` if the whole database is damaged, so that no single artifact can be reported
   */
  verify(options?: VerifyOptions): Promise<VerifyReport>;
  /** Waits for running calls and ends open streams. Later calls fail with `closed`. A second call does nothing. */
  close(): Promise<void>;
}
