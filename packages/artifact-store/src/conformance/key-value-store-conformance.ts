import assert from "node:assert/strict";
import { mapConcurrent } from "@ccl/core/async";
import type { ConformanceRule } from "@ccl/core/conformance";

import type { ArtifactStore } from "../artifact-store.ts";
import { chunkBytes } from "../artifact-driver.ts";
import { databaseOf, type KeyValuePlace } from "../key-value/bytes-in-texts.ts";
import {
  chunkKey,
  entryKey,
  handleKey,
  lastPart,
  readEntry,
  sortedKeys,
} from "../key-value/blob-entries.ts";
import { createKeyValueArtifactStore } from "../key-value/create-key-value-artifact-store.ts";
import type { KeyValueDatabase } from "../key-value/key-value-database.ts";
import { artifactStoreConformance } from "./artifact-store-conformance.ts";

/** How the kit opens a key-value database. */
export interface KeyValueConformanceOptions {
  /** Opens an empty database for each rule. */
  open(): Promise<KeyValuePlace>;
  /** Time limit of a rule in milliseconds. 60,000 by default. */
  ruleTimeoutMs?: number | undefined;
}

interface Place {
  database: KeyValueDatabase;
  /** Number of writes that will still succeed. */
  writesLeft: number;
}

/**
 * Returns the rules of `ArtifactStore` for `createKeyValueArtifactStore` over a database, including a crash at every
 * write: `for (const { name, run } of keyValueStoreConformance({ open })) it(name, run)`.
 */
export function keyValueStoreConformance(options: KeyValueConformanceOptions): ConformanceRule[] {
  const places = new Map<ArtifactStore, Place>();
  const placeOf = (store: ArtifactStore): Place => {
    const place = places.get(store);
    if (place === undefined) throw new TypeError("This store is none of the kit's.");
    return place;
  };
  const openAt = (
    place: Place,
    options: Parameters<typeof createKeyValueArtifactStore>[1],
  ): ArtifactStore => {
    const store = createKeyValueArtifactStore(cutOffAt(place), options);
    places.set(store, place);
    return store;
  };
  const rules = artifactStoreConformance({
    capabilities: { hasLimits: false },
    ruleTimeoutMs: options.ruleTimeoutMs,
    open: async (storeOptions) =>
      openAt({ database: databaseOf(await options.open()), writesLeft: Infinity }, storeOptions),
    async reopen(store, storeOptions) {
      await store.close();
      return openAt({ ...placeOf(store), writesLeft: Infinity }, storeOptions);
    },
    async cutOff(store, writes) {
      placeOf(store).writesLeft = writes;
    },
    async corrupt(store, artifactId, { kind, offset }) {
      const { database } = placeOf(store);
      const entry = await readEntry(database, artifactId);
      if (entry === undefined) throw new TypeError(`There is no ${entryKey(artifactId)}.`);
      const index = Math.floor(offset / chunkBytes);
      const key = chunkKey(entry.place, index);
      const bytes = new Uint8Array((await database.get(key)) ?? []);
      const at = offset % chunkBytes;
      bytes[at] = (bytes[at] ?? 0) ^ 1;
      await database.set(key, kind === "flip" ? bytes : bytes.slice(0, at));
      if (kind === "flip") return;
      for (const later of await sortedKeys(database, `data/${entry.place}/`))
        if (Number(lastPart(later)) > index) await database.delete(later);
    },
    async corruptHandle(store, { handleId, artifactId }) {
      const { database } = placeOf(store);
      const key = handleKey(handleId, artifactId);
      const text = new TextDecoder().decode(new Uint8Array((await database.get(key)) ?? []));
      await database.set(
        key,
        new TextEncoder().encode(text.replace(/"summary":"./, '"summary":"?')),
      );
    },
  });
  return [
    ...rules,
    {
      name: "a listing of more than a thousand keys has all of them",
      run: async () => listsManyKeys(databaseOf(await options.open())),
    },
  ];
}

async function listsManyKeys(database: KeyValueDatabase): Promise<void> {
  const keys = Array.from({ length: 1_100 }, (_, at) => chunkKey("many", 1_000 + at));
  await mapConcurrent(keys, 16, (key) => database.set(key, new Uint8Array()));
  assert.deepEqual(await sortedKeys(database, "data/many/"), keys);
}

function cutOffAt(place: Place): KeyValueDatabase {
  const { database } = place;
  const countWrite = (): void => {
    if (place.writesLeft <= 0) throw new Error("The process has ended.");
    place.writesLeft -= 1;
  };
  return {
    get: (key) => database.get(key),
    keys: (prefix) => database.keys(prefix),
    async set(key, value) {
      countWrite();
      await database.set(key, value);
    },
    async delete(key) {
      countWrite();
      await database.delete(key);
    },
  };
}
