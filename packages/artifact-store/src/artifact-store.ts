/**
 * What a store takes: bytes, text (kept as UTF-8; lone surrogates have no such form and are refused), or a stream of bytes
 * of any length. Bytes are kept as they are at the moment of the call, and so are copied: a long content that will not change
 * is better given as a stream of one piece, which is read as it is written.
 */
export type ArtifactContent = string | Uint8Array | AsyncIterable<Uint8Array>;

/** One reference to a stored payload. The same bytes from two sources are one artifact and two handles. */
export interface ArtifactHandle {
  /** Names this reference among those of its artifact; a UUIDv7 unless it was imported, so that handles sort by time. */
  handleId: string;
  /** SHA-256 of the stored bytes, 64 lower-case hex digits. */
  artifactId: string;
  /** A short text for a prompt, free of secrets. */
  summary: string;
  sizeBytes: number;
  mimeType: string;
  /** Milliseconds since the epoch. */
  createdAt: number;
  /** Who made it, e.g. `tool:read_file`. */
  source: string;
  sessionId?: string | undefined;
}

/** What names one handle of a store. The same `handleId` under two artifacts is two handles. */
export type HandleKey = Pick<ArtifactHandle, "handleId" | "artifactId">;

/** Parts of a handle that was made elsewhere, kept as they are. */
export interface ImportedHandle {
  /**
   * Storing the same payload under the same handle id again adds and changes nothing, and gives the handle that is there;
   * under another payload it is another handle, and both stay. Of `[0-9A-Za-z_-]`, at most 64 characters.
   */
  handleId: string;
  createdAt: number;
  /** Neither redacted nor cut again; at most 65,536 characters, of which `withEncryption` keeps some 49,000 bytes, marked by ` ...`. */
  summary: string;
}

/** What goes into the handle of a payload. Texts have 1 to 512 characters, no control characters, no lone surrogates. */
export interface StoreOptions {
  source: string;
  /** By default `text/plain; charset=utf-8` for text, `application/octet-stream` for bytes and streams. */
  mimeType?: string | undefined;
  sessionId?: string | undefined;
  /** Instead of the summary that the store would make; redacted, and cut to 4,000 characters. */
  summary?: string | undefined;
  /** For copies of artifacts and stores around stores; excludes `summary`. */
  imported?: ImportedHandle | undefined;
  /** The id that the caller expects; another one is refused with `id_mismatch` and nothing is kept. */
  expectedId?: string | undefined;
  signal?: AbortSignal | undefined;
}

/** One payload of `storeMany`. */
export interface StoreItem extends Omit<StoreOptions, "signal"> {
  content: ArtifactContent;
}

/** Bytes `start` up to, not including, `end`; like `subarray` without negative numbers, cut to what is there. */
export interface ByteRange {
  start: number;
  /** The end of the artifact when absent. */
  end?: number | undefined;
}

/** Which part is read. */
export interface RetrieveOptions {
  range?: ByteRange | undefined;
  signal?: AbortSignal | undefined;
}

/** Which handles a listing holds, and how many at once. */
export interface ListHandlesOptions {
  sessionId?: string | undefined;
  source?: string | undefined;
  /** From the page before. */
  cursor?: string | undefined;
  /** 100 by default, at most 1,000. */
  limit?: number | undefined;
  signal?: AbortSignal | undefined;
}

/** A page of handles by `handleId`, which is oldest first, then by `artifactId`. Handles that come or go meanwhile never repeat or hide others. */
export interface HandlePage {
  handles: ArtifactHandle[];
  /** Handles of the page whose fields are damaged. Absent where there are none. `delete` removes one, storing it as `imported` replaces it. */
  damaged?: HandleKey[] | undefined;
  /** Absent on the last page. */
  cursor?: string | undefined;
}

/** Which references of an artifact go; all of them when nothing is named. */
export interface DeleteOptions {
  handleId?: string | undefined;
  sessionId?: string | undefined;
  signal?: AbortSignal | undefined;
}

/** How old an unreferenced blob must be to be freed. */
export interface CollectGarbageOptions {
  /** Milliseconds since the blob was last stored or lost its last reference. */
  graceMs: number;
  /** Only these, where given. */
  artifactIds?: readonly string[] | undefined;
  /** True: say what would go, remove nothing. */
  dryRun?: boolean | undefined;
  signal?: AbortSignal | undefined;
}

/** What a collection freed, or would free. */
export interface GarbageReport {
  artifactIds: string[];
  freedBytes: number;
}

/** How much a check reads. */
export interface VerifyOptions {
  /** Check only this many blobs, chosen evenly by id; all when absent. */
  sample?: number | undefined;
  signal?: AbortSignal | undefined;
}

/** What a check found. Damaged blobs are set aside: reads of them fail with `damaged` until the same bytes are stored again. */
export interface VerifyReport {
  checked: number;
  /** Ids of blobs whose bytes do not hash to their id, or can't be read whole; sorted. */
  damaged: string[];
  /** Ids that handles name but that have no bytes; sorted. */
  missing: string[];
  /** Damaged handles of the artifacts that were checked. Absent where there are none. */
  damagedHandles?: HandleKey[] | undefined;
}

/**
 * Bounds of a store, checked in the transaction of the put itself. Each blob counts once. A sum that is above its limit
 * already, as in a store that was opened with smaller limits, refuses and evicts nothing until a put adds bytes to it.
 */
export interface StoreLimits {
  maxArtifactBytes?: number | undefined;
  /** Bytes of all artifacts that a session has handles of. */
  maxSessionBytes?: number | undefined;
  /** Bytes of all blobs that are there, with handles or without. */
  maxStoreBytes?: number | undefined;
  /**
   * `reject` (default): the put fails with `limit_exceeded` and changes nothing. `evict`: the oldest handles of the session, or
   * of the store, go until it fits, and blobs that lose their last handle by that are freed at once; for `maxStoreBytes`
   * blobs without a handle go first. What is larger than a limit by itself is always refused.
   */
  whenFull?: "reject" | "evict" | undefined;
}

/**
 * Content-addressed storage for payloads. Every promise rejects with an `ArtifactStoreError`. A handle that was returned
 * is as durable as the store promises; what could not be kept whole is not kept at all.
 */
export interface ArtifactStore {
  /**
   * Keeps the content and adds a reference to it. Bytes that are there already are checked, and repaired if damaged.
   * @throws ArtifactStoreError `invalid_input`, `id_mismatch`, `limit_exceeded`, `disk_full`, `unavailable`, `closed`, `aborted`
   */
  store(content: ArtifactContent, options: StoreOptions): Promise<ArtifactHandle>;
  /** All of them or none, in one transaction where the backend has one; handles in the order of the items. */
  storeMany(
    items: readonly StoreItem[],
    options?: { signal?: AbortSignal | undefined },
  ): Promise<ArtifactHandle[]>;
  /**
   * The bytes, checked by their hash before they are handed out; undefined when no handle names the artifact.
   * @throws ArtifactStoreError `invalid_id`, `invalid_input`, `damaged`, `unavailable`, `closed`, `aborted`
   */
  retrieve(artifactId: string, options?: RetrieveOptions): Promise<Uint8Array | undefined>;
  /** The same as a stream of pieces of any size, to be read once; each MiB is checked before any of it is handed out. */
  retrieveStream(
    artifactId: string,
    options?: RetrieveOptions,
  ): Promise<AsyncIterable<Uint8Array> | undefined>;
  /** True where a blob with at least one handle is there and was not set aside as damaged. */
  exists(artifactId: string, options?: { signal?: AbortSignal | undefined }): Promise<boolean>;
  /**
   * Oldest first; empty for an unknown id. Damaged handles are left out, and `listHandles` names them.
   * @throws ArtifactStoreError `damaged` if all handles of the artifact are damaged
   */
  getHandles(
    artifactId: string,
    options?: { signal?: AbortSignal | undefined },
  ): Promise<ArtifactHandle[]>;
  listHandles(options?: ListHandlesOptions): Promise<HandlePage>;
  /** Removes the references that match; true if there was any. The bytes stay until `collectGarbage`. */
  delete(artifactId: string, options?: DeleteOptions): Promise<boolean>;
  /** Frees blobs that have had no reference for the grace age. Safe beside puts of the same bytes. */
  collectGarbage(options: CollectGarbageOptions): Promise<GarbageReport>;
  /** @throws ArtifactStoreError `damaged` where a database is damaged as a whole, so that no artifact can be named */
  verify(options?: VerifyOptions): Promise<VerifyReport>;
  /** Waits for calls under way and ends open streams; later calls fail with `closed`. Closing twice does nothing. */
  close(): Promise<void>;
}
