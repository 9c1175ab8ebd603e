import { mapConcurrent, TurnQueue } from "@ccl/core/async";
import { randomHex } from "@ccl/core/hash";

import { ArtifactStoreError } from "../artifact-store-error.ts";
import type { ArtifactHandle } from "../artifact-store.ts";
import type {
  ArtifactDriver,
  BlobPut,
  CommitOutcome,
  StagedBlob,
  StoredBlob,
} from "../driver/artifact-driver.ts";
import { isMatch } from "../driver/is-match.ts";
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
  readJson,
  recordOf,
  sortedKeys,
  toBytes,
} from "./blob-entries.ts";
import type { KeyValueDatabase } from "./key-value-database.ts";

/** Calls of the database at the same time, within one call of the store. */
const concurrency = 16;

interface PreparedPut {
  artifactId: string;
  entry: BlobEntry;
  outcome: CommitOutcome;
}

/** A driver for one process over a database that writes single keys atomically. */
export function createKeyValueDriver(database: KeyValueDatabase): ArtifactDriver {
  const turns = new TurnQueue(ArtifactStoreError);
  // Bytes that no entry names yet, because their commit is still to come.
  const placesInUse = new Set<string>();

  const writeEntry = (artifactId: string, entry: BlobEntry): Promise<unknown> =>
    database.set(entryKey(artifactId), toBytes(entry));

  const removeAll = async (keys: readonly string[]): Promise<void> => {
    await mapConcurrent(keys, concurrency, (key) => database.delete(key));
  };

  const removePlace = async (place: string): Promise<void> =>
    removeAll(await sortedKeys(database, `data/${place}/`));

  const placeOf = async (content: Uint8Array | StagedBlob): Promise<string> => {
    if (content instanceof StagedChunks) {
      content.isTaken = true;
      return content.place;
    }
    const place = randomHex(16);
    placesInUse.add(place);
    // At most one chunk: longer contents are staged.
    if (content instanceof Uint8Array && content.length > 0)
      await database.set(chunkKey(place, 0), content);
    return place;
  };

  /** Writes all of a put that no reader sees yet; gives the entry that makes it count. */
  const prepare = async (
    { record, content, handles }: BlobPut,
    { now, batch }: { now: number; batch: string | undefined },
  ): Promise<PreparedPut> => {
    const { artifactId } = record;
    const before = await readEntry(database, artifactId);
    const entry = before ?? newEntry(record, await placeOf(content));
    const known = new Set(entry.handles.map(([handleId]) => handleId));
    const added = handles.filter(({ handleId }) => !known.has(handleId));
    await mapConcurrent(added, concurrency, (handle) =>
      database.set(handleKey(handle.handleId, artifactId), toBytes(handle)),
    );
    const mark = added.map(({ handleId }): [string, string?] =>
      batch === undefined ? [handleId] : [handleId, batch],
    );
    return {
      artifactId,
      entry: { ...entry, touchedAt: now, handles: [...entry.handles, ...mark] },
      outcome: before === undefined ? "written" : "present",
    };
  };

  /** Makes a batch count, and its entries those of a single put. */
  const settle = async (batch: string, puts: readonly PreparedPut[]): Promise<void> => {
    await database.set(batchKey(batch), Uint8Array.of(1));
    for (const { artifactId, entry } of puts) {
      const handles = entry.handles.map(([handleId]): [string] => [handleId]);
      await writeEntry(artifactId, { ...entry, handles });
    }
    await database.delete(batchKey(batch));
  };

  const handlesAt = async (
    keys: readonly { handleId: string; artifactId: string }[],
  ): Promise<ArtifactHandle[]> => {
    const found = await mapConcurrent(keys, concurrency, async ({ handleId, artifactId }) => {
      const entry = await readEntry(database, artifactId);
      const isListed = entry?.handles.some(([id]) => id === handleId) === true;
      if (!isListed) return [];
      const handle = await readJson<ArtifactHandle>(database, handleKey(handleId, artifactId));
      return handle === undefined ? [] : [handle];
    });
    return found.flat();
  };

  /** What a process left behind that ended in the middle of a change. */
  const removeLeftovers = async (): Promise<void> => {
    const places = new Set(placesInUse);
    const handles = new Set<string>();
    const artifactIds = (await sortedKeys(database, "blob/")).map(lastPart);
    await mapConcurrent(artifactIds, concurrency, async (artifactId) => {
      const raw = await readJson<BlobEntry>(database, entryKey(artifactId));
      const entry = await readEntry(database, artifactId);
      if (raw === undefined || entry === undefined) return;
      if (raw.handles.some(([, batch]) => batch !== undefined)) await writeEntry(artifactId, entry);
      places.add(entry.place);
      for (const [handleId] of entry.handles) handles.add(handleKey(handleId, artifactId));
    });
    const data = await sortedKeys(database, "data/");
    await removeAll(await sortedKeys(database, "batch/"));
    await removeAll(data.filter((key) => !places.has(key.split("/")[1] ?? "")));
    await removeAll((await sortedKeys(database, "handle/")).filter((key) => !handles.has(key)));
  };

  return {
    name: "key-value",
    stage: async () => new StagedChunks(database, placesInUse),
    commit: (puts, { now, signal }) =>
      turns.run(async () => {
        // One entry is one key. Several entries count from the moment at which the key of their batch is there.
        const batch = puts.length > 1 ? randomHex(16) : undefined;
        const prepared: PreparedPut[] = [];
        try {
          for (const put of puts) prepared.push(await prepare(put, { now, batch }));
          for (const { artifactId, entry } of prepared) await writeEntry(artifactId, entry);
          if (batch !== undefined) await settle(batch, prepared);
        } finally {
          for (const { entry } of prepared) placesInUse.delete(entry.place);
        }
        return prepared.map(({ outcome }) => outcome);
      }, signal),
    mend: (record, content, { now, signal }) =>
      turns.run(async () => {
        const damaged = await readEntry(database, record.artifactId);
        if (damaged === undefined) return;
        const place = await placeOf(content);
        const { handles } = damaged;
        await writeEntry(record.artifactId, {
          ...newEntry(record, place),
          handles,
          touchedAt: now,
        });
        placesInUse.delete(place);
        await removePlace(damaged.place);
      }, signal),
    async find(artifactId) {
      const entry = await readEntry(database, artifactId);
      return entry === undefined || entry.handles.length === 0
        ? undefined
        : storedBlob(database, artifactId, entry);
    },
    async getHandles(artifactId) {
      const entry = await readEntry(database, artifactId);
      const ids = (entry?.handles ?? []).map(([handleId]) => handleId).sort();
      return handlesAt(ids.map((handleId) => ({ handleId, artifactId })));
    },
    async listHandles({ sessionId, source, after, limit }) {
      const last = after === undefined ? "" : handleKey(after.handleId, after.artifactId);
      const keys = (await sortedKeys(database, "handle/")).filter((key) => key > last);
      const found: ArtifactHandle[] = [];
      for (let start = 0; start < keys.length && found.length < limit; start += limit) {
        const page = keys.slice(start, start + limit).map(idsOfHandleKey);
        const handles = await handlesAt(page);
        found.push(...handles.filter((handle) => isMatch(handle, { sessionId, source })));
      }
      return found.slice(0, limit);
    },
    removeHandles: (artifactId, match, { now, signal }) =>
      turns.run(async () => {
        const entry = await readEntry(database, artifactId);
        if (entry === undefined) return 0;
        const handles = await handlesAt(
          entry.handles.map(([handleId]) => ({ handleId, artifactId })),
        );
        const removed = new Set(
          handles.filter((handle) => isMatch(handle, match)).map(({ handleId }) => handleId),
        );
        if (removed.size === 0) return 0;
        const kept = entry.handles.filter(([handleId]) => !removed.has(handleId));
        await writeEntry(artifactId, { ...entry, handles: kept, touchedAt: now });
        await removeAll([...removed].map((handleId) => handleKey(handleId, artifactId)));
        return removed.size;
      }, signal),
    collect: ({ until, artifactIds, isDryRun, signal }) =>
      turns.run(async () => {
        const ids = artifactIds ?? (await sortedKeys(database, "blob/")).map(lastPart);
        const freed: { artifactId: string; sizeBytes: number }[] = [];
        for (const artifactId of ids) {
          const entry = await readEntry(database, artifactId);
          if (entry === undefined || entry.handles.length > 0 || entry.touchedAt > until) continue;
          freed.push({ artifactId, sizeBytes: entry.sizeBytes });
          if (isDryRun) continue;
          await database.delete(entryKey(artifactId));
          await removePlace(entry.place);
        }
        if (artifactIds === undefined && !isDryRun) await removeLeftovers();
        return freed;
      }, signal),
    async listIds({ after = "", limit }) {
      const ids: string[] = [];
      for (const artifactId of (await sortedKeys(database, "blob/")).map(lastPart)) {
        if (artifactId <= after) continue;
        const entry = await readEntry(database, artifactId);
        if (entry !== undefined && entry.handles.length > 0) ids.push(artifactId);
        if (ids.length === limit) break;
      }
      return ids;
    },
    quarantine: (artifactId) =>
      turns.run(async () => {
        const entry = await readEntry(database, artifactId);
        if (entry !== undefined) await writeEntry(artifactId, { ...entry, isQuarantined: true });
      }),
    // The database is the caller's.
    close: async () => undefined,
  };
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
    for (const key of await sortedKeys(this.#database, `data/${this.place}/`))
      await this.#database.delete(key);
  }
}

function storedBlob(database: KeyValueDatabase, artifactId: string, entry: BlobEntry): StoredBlob {
  return {
    record: recordOf(artifactId, entry),
    isQuarantined: entry.isQuarantined,
    async *read(firstChunk, endChunk) {
      for (let index = firstChunk; index < endChunk; index += 1) {
        const bytes = await database.get(chunkKey(entry.place, index));
        // What is missing is for the store to notice: it counts and hashes every byte.
        yield new Uint8Array(bytes ?? []);
      }
    },
  };
}
