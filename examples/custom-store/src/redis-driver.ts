import type { ArtifactHandle, StoreLimits } from "@ccl/artifact-store";
import {
  type ArtifactDriver,
  type BlobPut,
  type BlobRecord,
  type CommitOutcome,
  type DriverCollectOptions,
  type DriverListOptions,
  type DriverWriteOptions,
  type StagedBlob,
  type StoredBlob,
} from "@ccl/artifact-store/driver";

import {
  addHandle,
  type BlobEntry,
  blobName,
  freeBlob,
  handleKey,
  handleName,
  pieceName,
  pieceNames,
  removeHandle,
  sessionPrefix,
  setBlob,
  sourcePrefix,
  usesName,
} from "./blob-entry.ts";
import type { Database, ReadOptions } from "./database.ts";
import { makeRoom } from "./make-room.ts";
import { stageBytes, StagedPieces } from "./staged-pieces.ts";
import { transact, type Transaction } from "./transaction.ts";

/** How many names one trip lists, and how many blobs one step frees. */
const pageSize = 500;

/** Keeps artifacts in a database, in steps that any number of processes may take at once. */
export class RedisDriver implements ArtifactDriver {
  readonly name: string = "redis";
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async stage(options: ReadOptions): Promise<StagedBlob> {
    return new StagedPieces(this.#database, options);
  }

  async commit(
    puts: readonly BlobPut[],
    { now, limits, signal }: DriverWriteOptions & { limits: StoreLimits },
  ): Promise<CommitOutcome[]> {
    const staging = new Staging(this.#database, { signal });
    const artifactIds = new Set(puts.map(({ record }) => record.artifactId));
    const handles = puts.flatMap((put) => put.handles);
    const sessionIds = new Set(handles.flatMap(({ sessionId }) => sessionId ?? []));
    const keepAll = async (transaction: Transaction): Promise<CommitOutcome[]> => {
      staging.offer([]);
      await transaction.load(puts.flatMap(namesOf));
      const used: StagedPieces[] = [];
      const outcomes: CommitOutcome[] = [];
      for (const put of puts) {
        const { artifactId } = put.record;
        const present = await transaction.get<BlobEntry>(blobName(artifactId));
        let entry =
          present ??
          (await addBlob(transaction, put.record, await staging.stage(put.content, used)));
        for (const handle of put.handles) entry = await addHandle(transaction, handle, entry);
        setBlob(transaction, artifactId, { ...entry, touchedAt: Math.max(entry.touchedAt, now) });
        outcomes.push(present === undefined ? "written" : "present");
      }
      await makeRoom(transaction, { limits, artifactIds, sessionIds, now });
      staging.offer(used);
      return outcomes;
    };
    try {
      return await transact(this.#database, keepAll, signal);
    } finally {
      await staging.discard();
    }
  }

  async mend(
    record: BlobRecord,
    content: Uint8Array | StagedBlob,
    { now, signal }: DriverWriteOptions,
  ): Promise<void> {
    const staging = new Staging(this.#database, { signal });
    const replace = async (transaction: Transaction): Promise<void> => {
      staging.offer([]);
      const damaged = await transaction.get<BlobEntry>(blobName(record.artifactId));
      if (damaged === undefined) return;
      const used: StagedPieces[] = [];
      const place = await keepPieces(transaction, record, await staging.stage(content, used));
      transaction.dropPieces(pieceNames(damaged.place, damaged.pieceCount));
      const { sizeBytes } = record;
      const touchedAt = Math.max(damaged.touchedAt, now);
      setBlob(transaction, record.artifactId, {
        ...damaged,
        ...place,
        sizeBytes,
        touchedAt,
        isQuarantined: false,
      });
      staging.offer(used);
    };
    try {
      await transact(this.#database, replace, signal);
    } finally {
      await staging.discard();
    }
  }

  async find(artifactId: string, { signal }: ReadOptions): Promise<StoredBlob | undefined> {
    for (;;) {
      signal?.throwIfAborted();
      const [text] = await this.#database.get([blobName(artifactId)], { signal });
      const entry: BlobEntry | undefined = text === undefined ? undefined : JSON.parse(text);
      if (entry === undefined || entry.handleCount === 0) return undefined;
      const { place, pieceCount, hasHashes, sizeBytes, isQuarantined } = entry;
      const piece = await this.#database.getPiece(pieceName(place, hasHashes ? "hashes" : 0), {
        signal,
      });
      // Lost, or mended or freed since the entry was read: then the entry is another one now.
      if (
        piece === undefined &&
        (await this.#database.get([blobName(artifactId)], { signal }))[0] !== text
      )
        continue;
      const bytes = piece ?? new Uint8Array();
      const record = { artifactId, sizeBytes, chunkHashes: hasHashes ? bytes : new Uint8Array() };
      const found = { record, isQuarantined, read: readPieces(this.#database, place, { signal }) };
      return hasHashes || pieceCount > 1 ? found : { ...found, bytes };
    }
  }

  async getHandles(artifactId: string, { signal }: ReadOptions): Promise<ArtifactHandle[]> {
    const handles: ArtifactHandle[] = [];
    const prefix = `of/${artifactId}/`;
    for (let after = ""; ;) {
      const names = await this.#database.list(prefix, { after, limit: pageSize, signal });
      const ids = names.map((name) => name.slice(prefix.length));
      handles.push(
        ...(await this.#handlesNamed(
          ids.map((handleId) => handleName({ handleId, artifactId })),
          { signal },
        )),
      );
      if (names.length < pageSize) return handles;
      after = ids.at(-1) ?? "";
    }
  }

  async listHandles({
    sessionId,
    source,
    after,
    limit,
    signal,
  }: DriverListOptions): Promise<ArtifactHandle[]> {
    const prefix = sessionId === undefined ? sourceOrAll(source) : sessionPrefix(sessionId);
    const found: ArtifactHandle[] = [];
    for (let last = after === undefined ? "" : handleKey(after); ;) {
      const names = await this.#database.list(prefix, { after: last, limit, signal });
      const keys = names.map((name) => name.slice(prefix.length));
      for (const handle of await this.#handlesNamed(
        keys.map((key) => `handle/${key}`),
        { signal },
      )) {
        if (source === undefined || handle.source === source) found.push(handle);
      }
      if (names.length < limit || found.length >= limit) return found.slice(0, limit);
      last = keys.at(-1) ?? "";
    }
  }

  async removeHandles(
    artifactId: string,
    match: { handleId?: string; sessionId?: string },
    { now, signal }: DriverWriteOptions,
  ): Promise<number> {
    const remove = async (transaction: Transaction): Promise<number> => {
      const present = await transaction.get<BlobEntry>(blobName(artifactId));
      if (present === undefined) return 0;
      let entry = present;
      for (const handle of await this.getHandles(artifactId, { signal })) {
        const { handleId, sessionId } = handle;
        if (
          (match.handleId ?? handleId) !== handleId ||
          (match.sessionId ?? sessionId) !== sessionId
        )
          continue;
        entry = await removeHandle(transaction, handle, entry);
      }
      if (entry === present) return 0;
      setBlob(transaction, artifactId, { ...entry, touchedAt: Math.max(entry.touchedAt, now) });
      return present.handleCount - entry.handleCount;
    };
    return transact(this.#database, remove, signal);
  }

  async collect(
    options: DriverCollectOptions,
  ): Promise<{ artifactId: string; sizeBytes: number }[]> {
    const { artifactIds, signal } = options;
    const freed: { artifactId: string; sizeBytes: number }[] = [];
    if (artifactIds !== undefined) return this.#free([...new Set(artifactIds)], options);
    for (let after = ""; ;) {
      const names = await this.#database.list("free/", { after, limit: pageSize, signal });
      const ids = names.map((name) => name.slice("free/".length));
      freed.push(...(await this.#free(ids, options)));
      if (names.length < pageSize) return freed;
      after = ids.at(-1) ?? "";
    }
  }

  async listIds(options: {
    after?: string;
    limit: number;
    signal?: AbortSignal;
  }): Promise<string[]> {
    const names = await this.#database.list("named/", options);
    return names.map((name) => name.slice("named/".length));
  }

  quarantine(artifactId: string): Promise<void> {
    return transact(this.#database, async (transaction) => {
      const entry = await transaction.get<BlobEntry>(blobName(artifactId));
      if (entry !== undefined) setBlob(transaction, artifactId, { ...entry, isQuarantined: true });
    });
  }

  async close(): Promise<void> {
    // The client is the caller's.
  }

  #free(
    artifactIds: readonly string[],
    { until, isDryRun, signal }: DriverCollectOptions,
  ): Promise<{ artifactId: string; sizeBytes: number }[]> {
    const free = async (
      transaction: Transaction,
    ): Promise<{ artifactId: string; sizeBytes: number }[]> => {
      const freed: { artifactId: string; sizeBytes: number }[] = [];
      await transaction.load(artifactIds.map(blobName));
      for (const artifactId of artifactIds) {
        const entry = await transaction.get<BlobEntry>(blobName(artifactId));
        if (entry === undefined || entry.handleCount > 0 || entry.touchedAt > until) continue;
        freed.push({ artifactId, sizeBytes: entry.sizeBytes });
        if (!isDryRun) freeBlob(transaction, artifactId, entry);
      }
      return freed;
    };
    return transact(this.#database, free, signal);
  }

  async #handlesNamed(names: readonly string[], options: ReadOptions): Promise<ArtifactHandle[]> {
    const texts = await this.#database.get(names, options);
    return texts.flatMap((text) => (text === undefined ? [] : JSON.parse(text)));
  }
}

/** What of a commit's or a mending's content is staged, over all attempts. */
class Staging {
  readonly #database: Database;
  readonly #options: ReadOptions;
  readonly #ofBytes: Map<Uint8Array, StagedPieces> = new Map();
  #offered: readonly StagedPieces[] = [];

  constructor(database: Database, options: ReadOptions) {
    this.#database = database;
    this.#options = options;
  }

  /** The pieces of a content, staged now unless they are. */
  async stage(content: Uint8Array | StagedBlob, used: StagedPieces[]): Promise<StagedPieces> {
    if (!(content instanceof Uint8Array || content instanceof StagedPieces))
      throw new TypeError("Staged elsewhere");
    const staged =
      content instanceof StagedPieces
        ? content
        : (this.#ofBytes.get(content) ??
          (await stageBytes(this.#database, content, this.#options)));
    if (content instanceof Uint8Array) this.#ofBytes.set(content, staged);
    used.push(staged);
    return staged;
  }

  /** What the next write takes, in the place of what the last one took. */
  offer(staged: readonly StagedPieces[]): void {
    for (const one of this.#offered) one.isTaken = false;
    for (const one of staged) one.isTaken = true;
    this.#offered = staged;
  }

  /** Drops what came as bytes and was not taken. */
  async discard(): Promise<void> {
    for (const staged of this.#ofBytes.values()) await staged.discard();
  }
}

async function addBlob(
  transaction: Transaction,
  record: BlobRecord,
  staged: StagedPieces,
): Promise<BlobEntry> {
  const { sizeBytes } = record;
  transaction.add("total", sizeBytes);
  const place = await keepPieces(transaction, record, staged);
  return { sizeBytes, ...place, handleCount: 0, touchedAt: 0, isQuarantined: false, revision: 0 };
}

async function keepPieces(
  transaction: Transaction,
  { chunkHashes }: BlobRecord,
  staged: StagedPieces,
): Promise<Pick<BlobEntry, "place" | "pieceCount" | "hasHashes">> {
  transaction.keepPieces(await staged.finish(chunkHashes));
  return { place: staged.place, pieceCount: staged.pieceCount, hasHashes: chunkHashes.length > 0 };
}

function namesOf({ record, handles }: BlobPut): string[] {
  const { artifactId } = record;
  const uses = handles.flatMap(({ sessionId }) =>
    sessionId === undefined ? [] : usesName(sessionId, artifactId),
  );
  return [blobName(artifactId), ...handles.map(handleName), ...uses];
}

function sourceOrAll(source: string | undefined): string {
  return source === undefined ? "handle/" : sourcePrefix(source);
}

function readPieces(database: Database, place: string, options: ReadOptions): StoredBlob["read"] {
  return async function* read(firstChunk, endChunk) {
    for (let index = firstChunk; index < endChunk; index += 1) {
      const piece = await database.getPiece(pieceName(place, index), options);
      // What is missing is for the store to notice: it counts and hashes every byte.
      if (piece === undefined) return;
      yield piece;
    }
  };
}
