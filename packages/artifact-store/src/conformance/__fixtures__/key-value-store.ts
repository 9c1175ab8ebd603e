import { ArtifactStoreError, type ArtifactHandle, type ArtifactStore } from "../../index.ts";
import {
  createArtifactStore,
  type ArtifactDriver,
  type ArtifactStoreOptions,
  type BlobPut,
  type BlobRecord,
  type CommitOutcome,
  type DriverCollectOptions,
  type DriverListOptions,
  type DriverWriteOptions,
  type HandleKey,
  type StagedBlob,
  type StoredBlob,
} from "../../driver/index.ts";

/** What this store needs of a database; keys are ASCII. */
export interface KeyValueDatabase {
  get(key: string): Promise<Uint8Array | undefined>;
  /**
   * Makes all changes or none; undefined removes a key. An error with `isRefused: true` says that none were made, now or
   * later; after any other one nobody knows.
   */
  write(changes: Map<string, Uint8Array | undefined>): Promise<void>;
  /** Sorted keys that begin with the prefix and are greater than prefix + after. */
  keys(
    prefix: string,
    options?: { after?: string | undefined; limit?: number | undefined },
  ): Promise<string[]>;
}

/** Opens an artifact store over a key-value database. */
export async function openKeyValueArtifactStore(
  database: KeyValueDatabase,
  options: ArtifactStoreOptions = {},
): Promise<ArtifactStore> {
  if (options.limits !== undefined)
    throw new ArtifactStoreError("unsupported", "This store has no limits.");
  return createArtifactStore(new KeyValueDriver(database), options);
}

// blob/<artifact>          the record, and the place where its bytes are
// data/<place>/<chunk>     the bytes, one key a chunk; a place is written once and never again
// handle/<handle>!<artifact>   a handle; "!" sorts before every character of an id
// of/<artifact>/<handle>   nothing: which handles an artifact has
interface BlobEntry {
  sizeBytes: number;
  chunkHashes: string;
  place: string;
  touchedAt: number;
  isQuarantined: boolean;
}

const toBytes = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value));
const fromBytes = <T>(bytes: Uint8Array | undefined): T | undefined =>
  bytes && JSON.parse(new TextDecoder().decode(bytes));
const chunkKey = (place: string, index: number): string =>
  `data/${place}/${String(index).padStart(8, "0")}`;
const handleKey = ({ handleId, artifactId }: HandleKey): string =>
  `handle/${handleId}!${artifactId}`;
const lastPart = (key: string): string => key.slice(key.lastIndexOf("/") + 1);

class StagedChunks implements StagedBlob {
  readonly place: string = crypto.randomUUID();
  isTaken = false;
  #count = 0;
  readonly #database: KeyValueDatabase;

  constructor(database: KeyValueDatabase) {
    this.#database = database;
  }

  async write(piece: Uint8Array): Promise<void> {
    await this.#database.write(new Map([[chunkKey(this.place, this.#count++), piece.slice()]]));
  }

  async discard(): Promise<void> {
    if (this.isTaken) return;
    const keys = await this.#database.keys(`data/${this.place}/`);
    await this.#database.write(new Map(keys.map((key) => [key, undefined])));
  }
}

/** What a commit or a mending changes to keep these bytes. */
function addBytes(changes: Changes, content: Uint8Array | StagedBlob): string {
  if (content instanceof StagedChunks) {
    changes.staged.push(content);
    return content.place;
  }
  const place = crypto.randomUUID();
  // At most maxInlineBytes, which is one chunk unless the driver says otherwise.
  if (content instanceof Uint8Array && content.length > 0) changes.set(chunkKey(place, 0), content);
  return place;
}

class Changes extends Map<string, Uint8Array | undefined> {
  /** What these changes take. */
  readonly staged: StagedChunks[] = [];
}

class KeyValueDriver implements ArtifactDriver {
  readonly name: string = "key-value";
  readonly #database: KeyValueDatabase;
  readonly #exclusively: ReturnType<typeof createLock> = createLock();

  constructor(database: KeyValueDatabase) {
    this.#database = database;
  }

  async stage(): Promise<StagedBlob> {
    return new StagedChunks(this.#database);
  }

  commit(puts: readonly BlobPut[], { now }: DriverWriteOptions): Promise<CommitOutcome[]> {
    return this.#exclusively(async () => {
      const changes = new Changes();
      const outcomes: CommitOutcome[] = [];
      for (const put of puts) outcomes.push(await this.#keep(changes, put, now));
      await this.#write(changes);
      return outcomes;
    });
  }

  mend(
    record: BlobRecord,
    content: Uint8Array | StagedBlob,
    { now }: DriverWriteOptions,
  ): Promise<void> {
    return this.#exclusively(async () => {
      const damaged = await this.#blobOf(record.artifactId);
      if (damaged === undefined) return;
      const changes = new Changes();
      await this.#removeBytes(changes, damaged);
      const entry = { ...entryOf(record), place: addBytes(changes, content), touchedAt: now };
      await this.#write(changes.set(`blob/${record.artifactId}`, toBytes(entry)));
    });
  }

  async find(artifactId: string): Promise<StoredBlob | undefined> {
    const blob = await this.#blobOf(artifactId);
    return blob && (await this.#isReferenced(artifactId))
      ? storedBlob(this.#database, artifactId, blob)
      : undefined;
  }

  async getHandles(artifactId: string): Promise<ArtifactHandle[]> {
    const keys = await this.#database.keys(`of/${artifactId}/`);
    return this.#handlesAt(keys.map((key) => handleKey({ handleId: lastPart(key), artifactId })));
  }

  async listHandles({
    sessionId,
    source,
    after,
    limit,
  }: DriverListOptions): Promise<ArtifactHandle[]> {
    const found: ArtifactHandle[] = [];
    for (let last = after === undefined ? "" : lastPart(handleKey(after)); ;) {
      const keys = await this.#database.keys("handle/", { after: last, limit });
      for (const handle of await this.#handlesAt(keys)) {
        if (isMatch(handle, { sessionId, source })) found.push(handle);
      }
      if (keys.length < limit || found.length >= limit) return found.slice(0, limit);
      last = lastPart(keys.at(-1) ?? "");
    }
  }

  removeHandles(
    artifactId: string,
    match: { handleId?: string | undefined; sessionId?: string | undefined },
    { now }: DriverWriteOptions,
  ): Promise<number> {
    return this.#exclusively(async () => {
      const blob = await this.#blobOf(artifactId);
      const removed = (await this.getHandles(artifactId)).filter((handle) =>
        isMatch(handle, match),
      );
      const changes = new Changes();
      for (const { handleId } of removed) {
        changes
          .set(handleKey({ handleId, artifactId }), undefined)
          .set(`of/${artifactId}/${handleId}`, undefined);
      }
      if (blob && removed.length > 0)
        changes.set(`blob/${artifactId}`, toBytes({ ...blob, touchedAt: now }));
      await this.#database.write(changes);
      return removed.length;
    });
  }

  collect(options: DriverCollectOptions): Promise<{ artifactId: string; sizeBytes: number }[]> {
    const { until, artifactIds, isDryRun } = options;
    return this.#exclusively(async () => {
      const freed: { artifactId: string; sizeBytes: number }[] = [];
      const changes = new Changes();
      for (const artifactId of artifactIds ?? (await this.#database.keys("blob/")).map(lastPart)) {
        const blob = await this.#blobOf(artifactId);
        if (blob === undefined || blob.touchedAt > until || (await this.#isReferenced(artifactId)))
          continue;
        freed.push({ artifactId, sizeBytes: blob.sizeBytes });
        await this.#removeBytes(changes.set(`blob/${artifactId}`, undefined), blob);
      }
      if (!isDryRun) await this.#database.write(changes);
      return freed;
    });
  }

  async listIds({
    after,
    limit,
  }: {
    after?: string | undefined;
    limit: number;
  }): Promise<string[]> {
    const ids: string[] = [];
    // Past all handles of an id: "0" is the character after "/".
    for (
      let last = after === undefined ? "" : `${after}0`;
      ids.length < limit;
      last = `${ids.at(-1)}0`
    ) {
      const [key] = await this.#database.keys("of/", { after: last, limit: 1 });
      if (key === undefined) break;
      ids.push(key.split("/")[1] ?? "");
    }
    return ids;
  }

  quarantine(artifactId: string): Promise<void> {
    return this.#exclusively(async () => {
      const blob = await this.#blobOf(artifactId);
      if (blob === undefined) return;
      await this.#database.write(
        new Map([[`blob/${artifactId}`, toBytes({ ...blob, isQuarantined: true })]]),
      );
    });
  }

  async close(): Promise<void> {
    // The database is the caller's.
  }

  async #keep(changes: Changes, put: BlobPut, now: number): Promise<CommitOutcome> {
    const { artifactId } = put.record;
    const present = await this.#blobOf(artifactId);
    const entry = present ?? { ...entryOf(put.record), place: addBytes(changes, put.content) };
    changes.set(`blob/${artifactId}`, toBytes({ ...entry, touchedAt: now }));
    for (const handle of put.handles) {
      if ((await this.#database.get(`of/${artifactId}/${handle.handleId}`)) !== undefined) continue;
      changes.set(handleKey(handle), toBytes(handle));
      changes.set(`of/${artifactId}/${handle.handleId}`, new Uint8Array());
    }
    return present === undefined ? "written" : "present";
  }

  /** After a write without an answer staged bytes count as taken: they stay, for a sweep. */
  async #write(changes: Changes): Promise<void> {
    for (const staged of changes.staged) staged.isTaken = true;
    try {
      await this.#database.write(changes);
    } catch (error) {
      const isRefused = error instanceof Error && "isRefused" in error && error.isRefused === true;
      for (const staged of changes.staged) staged.isTaken = !isRefused;
      throw error;
    }
  }

  async #blobOf(artifactId: string): Promise<BlobEntry | undefined> {
    return fromBytes<BlobEntry>(await this.#database.get(`blob/${artifactId}`));
  }

  async #isReferenced(artifactId: string): Promise<boolean> {
    return (await this.#database.keys(`of/${artifactId}/`, { limit: 1 })).length > 0;
  }

  async #handlesAt(keys: string[]): Promise<ArtifactHandle[]> {
    const values = await Promise.all(keys.map((key) => this.#database.get(key)));
    return values.flatMap((bytes) => fromBytes<ArtifactHandle>(bytes) ?? []);
  }

  async #removeBytes(changes: Changes, { place }: BlobEntry): Promise<void> {
    for (const key of await this.#database.keys(`data/${place}/`)) changes.set(key, undefined);
  }
}

function isMatch(
  handle: ArtifactHandle,
  match: Partial<Record<"handleId" | "sessionId" | "source", string | undefined>>,
): boolean {
  const {
    handleId = handle.handleId,
    sessionId = handle.sessionId,
    source = handle.source,
  } = match;
  return handleId === handle.handleId && sessionId === handle.sessionId && source === handle.source;
}

function entryOf({ sizeBytes, chunkHashes }: BlobRecord): Omit<BlobEntry, "place"> {
  const digits = Array.from(chunkHashes, (byte) => byte.toString(16).padStart(2, "0"));
  return { sizeBytes, chunkHashes: digits.join(""), touchedAt: 0, isQuarantined: false };
}

function storedBlob(database: KeyValueDatabase, artifactId: string, blob: BlobEntry): StoredBlob {
  const { sizeBytes, place, isQuarantined } = blob;
  const chunkHashes = Uint8Array.from(blob.chunkHashes.match(/../g) ?? [], (digits) =>
    Number.parseInt(digits, 16),
  );
  return {
    record: { artifactId, sizeBytes, chunkHashes },
    isQuarantined,
    async *read(firstChunk, endChunk) {
      for (let index = firstChunk; index < endChunk; index += 1) {
        // What is missing is for the store to notice: it counts and hashes every byte.
        yield (await database.get(chunkKey(place, index))) ?? new Uint8Array();
      }
    },
  };
}

/** One change at a time in this process; a database that others write too needs its own lock or transaction here. */
function createLock(): <T>(action: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (action) => {
    const next = last.then(action, action);
    last = next.catch(() => undefined);
    return next;
  };
}
