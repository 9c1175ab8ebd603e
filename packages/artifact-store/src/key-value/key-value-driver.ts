import { mapConcurrent, TurnQueue } from "@ccl/core/async";
import { randomHex } from "@ccl/core/hash";

import { ArtifactStoreError } from "../artifact-store-error.ts";
import type { HandleKey } from "../artifact-store.ts";
import type {
  ArtifactDriver,
  BlobPut,
  BlobRecord,
  CommitOutcome,
  DriverCollectOptions,
  DriverListOptions,
  DriverWriteOptions,
  FoundHandle,
  FreedBlob,
  StagedBlob,
  StoredBlob,
} from "../artifact-driver.ts";
import { handleOfLine } from "../driver/checked-line.ts";
import { isMatch, type HandleMatch } from "../driver/is-match.ts";
import {
  batchKey,
  type BlobEntry,
  chunkKey,
  entryKey,
  handleKey,
  idsOfHandleKey,
  lastPart,
  newEntry,
  readEntry,
  recordOf,
  sortedKeys,
  toBytes,
} from "./blob-entries.ts";
import type { KeyValueDatabase } from "./key-value-database.ts";

/** Number of concurrent database calls per store call. */
const concurrency = 16;

interface PreparedPut {
  artifactId: string;
  entry: BlobEntry;
  outcome: CommitOutcome;
}

/** A driver for one writing process over a database that writes single keys atomically. */
export class KeyValueDriver implements ArtifactDriver {
  readonly name: string = "key-value";
  readonly #database: KeyValueDatabase;
  readonly #turns: TurnQueue = new TurnQueue(ArtifactStoreError);
  /** Places that no entry refers to yet, because their commit is still running. */
  readonly #placesInUse: Set<string> = new Set();

  constructor(database: KeyValueDatabase) {
    this.#database = database;
  }

  async stage(): Promise<StagedBlob> {
    return new StagedChunks(this.#database, this.#placesInUse);
  }

  commit(puts: readonly BlobPut[], { now, signal }: DriverWriteOptions): Promise<CommitOutcome[]> {
    return this.#turns.run(async () => {
      // A single entry is one key. Several entries count once the key of their batch exists.
      const batch = puts.length > 1 ? randomHex(16) : undefined;
      const prepared: PreparedPut[] = [];
      try {
        for (const put of puts) prepared.push(await this.#prepare(put, { now, batch }));
        for (const { artifactId, entry } of prepared) await this.#writeEntry(artifactId, entry);
        if (batch !== undefined) await this.#settle(batch, prepared);
      } finally {
        for (const { entry } of prepared) this.#placesInUse.delete(entry.place);
      }
      return prepared.map(({ outcome }) => outcome);
    }, signal);
  }

  repair(
    record: BlobRecord,
    content: Uint8Array | StagedBlob,
    { now, signal }: DriverWriteOptions,
  ): Promise<void> {
    return this.#turns.run(async () => {
      const damaged = await readEntry(this.#database, record.artifactId);
      if (damaged === undefined) return;
      const place = await this.#placeOf(content);
      const entry = { ...newEntry(record, place), handles: damaged.handles, touchedAt: now };
      await this.#writeEntry(record.artifactId, entry);
      this.#placesInUse.delete(place);
      await removePlace(this.#database, damaged.place);
    }, signal);
  }

  async find(artifactId: string): Promise<StoredBlob | undefined> {
    const database = this.#database;
    const entry = await readEntry(database, artifactId);
    if (entry === undefined || entry.handles.length === 0) return undefined;
    return {
      record: recordOf(artifactId, entry),
      isQuarantined: entry.isQuarantined,
      async *read(firstChunk, endChunk) {
        for (let index = firstChunk; index < endChunk; index += 1) {
          const bytes = await database.get(chunkKey(entry.place, index));
          // The store notices missing bytes, since it counts and hashes every byte.
          yield new Uint8Array(bytes ?? []);
        }
      },
    };
  }

  async getHandles(artifactId: string): Promise<FoundHandle[]> {
    const entry = await readEntry(this.#database, artifactId);
    const ids = (entry?.handles ?? []).map(([handleId]) => handleId).sort();
    return this.#handlesAt(ids.map((handleId) => ({ handleId, artifactId })));
  }

  async listHandles(options: DriverListOptions): Promise<FoundHandle[]> {
    const { sessionId, source, after, limit } = options;
    const last = after === undefined ? "" : handleKey(after.handleId, after.artifactId);
    const keys = (await sortedKeys(this.#database, "handle/")).filter((key) => key > last);
    const found: FoundHandle[] = [];
    for (let start = 0; start < keys.length && found.length < limit; start += limit) {
      const handles = await this.#handlesAt(keys.slice(start, start + limit).map(idsOfHandleKey));
      found.push(
        ...handles.filter(
          (handle) => "isDamaged" in handle || isMatch(handle, { sessionId, source }),
        ),
      );
    }
    return found.slice(0, limit);
  }

  removeHandles(
    artifactId: string,
    match: HandleMatch,
    { now, signal }: DriverWriteOptions,
  ): Promise<number> {
    return this.#turns.run(async () => {
      const entry = await readEntry(this.#database, artifactId);
      if (entry === undefined) return 0;
      const handles = await this.getHandles(artifactId);
      const removed = new Set(
        handles.filter((handle) => isMatch(handle, match)).map(({ handleId }) => handleId),
      );
      if (removed.size === 0) return 0;
      const kept = entry.handles.filter(([handleId]) => !removed.has(handleId));
      await this.#writeEntry(artifactId, { ...entry, handles: kept, touchedAt: now });
      await removeKeys(
        this.#database,
        [...removed].map((handleId) => handleKey(handleId, artifactId)),
      );
      return removed.size;
    }, signal);
  }

  collect(options: DriverCollectOptions): Promise<FreedBlob[]> {
    const { until, artifactIds, isDryRun, signal } = options;
    return this.#turns.run(async () => {
      const freed: FreedBlob[] = [];
      for (const artifactId of artifactIds ?? (await this.#storedIds())) {
        const entry = await readEntry(this.#database, artifactId);
        if (entry === undefined || entry.handles.length > 0 || entry.touchedAt > until) continue;
        freed.push({ artifactId, sizeBytes: entry.sizeBytes });
        if (isDryRun) continue;
        await this.#database.delete(entryKey(artifactId));
        await removePlace(this.#database, entry.place);
      }
      if (artifactIds === undefined && !isDryRun) await this.#removeLeftovers();
      return freed;
    }, signal);
  }

  async listIds(options: { after?: string | undefined; limit: number }): Promise<string[]> {
    const { after = "", limit } = options;
    const ids: string[] = [];
    for (const artifactId of await this.#storedIds()) {
      if (artifactId > after && (await this.find(artifactId)) !== undefined) ids.push(artifactId);
      if (ids.length === limit) break;
    }
    return ids;
  }

  quarantine(artifactId: string): Promise<void> {
    return this.#turns.run(async () => {
      const entry = await readEntry(this.#database, artifactId);
      if (entry !== undefined)
        await this.#writeEntry(artifactId, { ...entry, isQuarantined: true });
    });
  }

  async close(): Promise<void> {
    // The caller owns the database.
  }

  async #writeEntry(artifactId: string, entry: BlobEntry): Promise<void> {
    await this.#database.set(entryKey(artifactId), toBytes(entry));
  }

  async #storedIds(): Promise<string[]> {
    return (await sortedKeys(this.#database, "blob/")).map(lastPart);
  }

  async #placeOf(content: Uint8Array | StagedBlob): Promise<string> {
    if (content instanceof StagedChunks) {
      content.isTaken = true;
      return content.place;
    }
    const place = randomHex(16);
    this.#placesInUse.add(place);
    // Never more than one chunk, since longer content is staged.
    if (content instanceof Uint8Array && content.length > 0)
      await this.#database.set(chunkKey(place, 0), content);
    return place;
  }

  /** Writes the parts of a put that readers cannot see yet. Returns the entry that makes them visible. */
  async #prepare(
    { record, content, handles }: BlobPut,
    { now, batch }: { now: number; batch: string | undefined },
  ): Promise<PreparedPut> {
    const { artifactId } = record;
    const before = await readEntry(this.#database, artifactId);
    const entry = before ?? newEntry(record, await this.#placeOf(content));
    const known = new Set(entry.handles.map(([handleId]) => handleId));
    const added = handles.filter(({ handleId }) => !known.has(handleId));
    await mapConcurrent(added, concurrency, (handle) =>
      this.#database.set(handleKey(handle.handleId, artifactId), toBytes(handle)),
    );
    const listed = added.map(({ handleId }): [string, string?] =>
      batch === undefined ? [handleId] : [handleId, batch],
    );
    return {
      artifactId,
      entry: { ...entry, touchedAt: now, handles: [...entry.handles, ...listed] },
      outcome: before === undefined ? "written" : "present",
    };
  }

  /** Makes a batch count and turns its entries into entries of single puts. */
  async #settle(batch: string, puts: readonly PreparedPut[]): Promise<void> {
    await this.#database.set(batchKey(batch), Uint8Array.of(1));
    for (const { artifactId, entry } of puts) {
      const handles = entry.handles.map(([handleId]): [string] => [handleId]);
      await this.#writeEntry(artifactId, { ...entry, handles });
    }
    await this.#database.delete(batchKey(batch));
  }

  async #handlesAt(names: readonly HandleKey[]): Promise<FoundHandle[]> {
    const found = await mapConcurrent(names, concurrency, async ({ handleId, artifactId }) => {
      const isListed = async (): Promise<boolean> => {
        const entry = await readEntry(this.#database, artifactId);
        return entry?.handles.some(([id]) => id === handleId) === true;
      };
      if (!(await isListed())) return undefined;
      const bytes = (await this.#database.get(handleKey(handleId, artifactId))) ?? new Uint8Array();
      // If it was removed between the two reads, both are gone.
      if (bytes.byteLength === 0 && !(await isListed())) return undefined;
      return handleOfLine({ handleId, artifactId }, new Uint8Array(bytes));
    });
    return found.filter((handle) => handle !== undefined);
  }

  /** Removes what a process left behind when it ended in the middle of a change. */
  async #removeLeftovers(): Promise<void> {
    const places = new Set(this.#placesInUse);
    const handles = new Set<string>();
    await mapConcurrent(await this.#storedIds(), concurrency, async (artifactId) => {
      const entry = await readEntry(this.#database, artifactId);
      if (entry === undefined) return;
      // The batch can no longer be committed, so its handles are dropped.
      await this.#writeEntry(artifactId, entry);
      places.add(entry.place);
      for (const [handleId] of entry.handles) handles.add(handleKey(handleId, artifactId));
    });
    const [batches = [], data = [], written = []] = await Promise.all(
      ["batch/", "data/", "handle/"].map((prefix) => sortedKeys(this.#database, prefix)),
    );
    await removeKeys(this.#database, [
      ...batches,
      ...data.filter((key) => !places.has(key.split("/")[1] ?? "")),
      ...written.filter((key) => !handles.has(key)),
    ]);
  }
}

async function removeKeys(database: KeyValueDatabase, keys: readonly string[]): Promise<void> {
  await mapConcurrent(keys, concurrency, (key) => database.delete(key));
}

async function removePlace(database: KeyValueDatabase, place: string): Promise<void> {
  await removeKeys(database, await sortedKeys(database, `data/${place}/`));
}

class StagedChunks implements StagedBlob {
  readonly place: string = randomHex(16);
  isTaken = false;
  #count = 0;
  readonly #database: KeyValueDatabase;
  readonly #placesInUse: Set<string>;

  constructor(database: KeyValueDatabase, placesInUse: Set<string>) {
    this.#database = database;
    this.#placesInUse = placesInUse;
    placesInUse.add(this.place);
  }

  async write(piece: Uint8Array): Promise<void> {
    await this.#database.set(chunkKey(this.place, this.#count), piece.slice());
    this.#count += 1;
  }

  async discard(): Promise<void> {
    if (this.isTaken) return;
    this.#placesInUse.delete(this.place);
    await removePlace(this.#database, this.place);
  }
}
