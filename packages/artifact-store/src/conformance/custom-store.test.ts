import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { ArtifactStore } from "../artifact-store.ts";
import { assertBytes } from "./bench.ts";
import { artifactStoreConformance } from "./index.ts";
import {
  openKeyValueArtifactStore,
  type KeyValueDatabase,
} from "./__fixtures__/key-value-store.ts";

/** A sorted map with the calls that the example asks of a database. */
class MapDatabase implements KeyValueDatabase {
  readonly entries: Map<string, Uint8Array> = new Map();
  /** What becomes of writes that make a handle. */
  fault: "refuse" | "lose the answer" | undefined;

  async get(key: string): Promise<Uint8Array | undefined> {
    return this.entries.get(key)?.slice();
  }

  async write(changes: Map<string, Uint8Array | undefined>): Promise<void> {
    const fault = [...changes.keys()].some((key) => key.startsWith("handle/"))
      ? this.fault
      : undefined;
    if (fault === "refuse") throw Object.assign(new Error("No."), { isRefused: true });
    for (const [key, value] of changes) {
      if (value === undefined) this.entries.delete(key);
      else this.entries.set(key, value);
    }
    if (fault === "lose the answer") throw new Error("The connection was lost.");
  }

  async keys(
    prefix: string,
    { after = "", limit = Infinity }: { after?: string; limit?: number } = {},
  ): Promise<string[]> {
    const matches = [...this.entries.keys()].filter(
      (key) => key.startsWith(prefix) && key > prefix + after,
    );
    return matches.sort().slice(0, limit);
  }
}

describe("the store of docs/custom-store.md", () => {
  const databases = new WeakMap<ArtifactStore, MapDatabase>();
  const rules = artifactStoreConformance({
    capabilities: { hasLimits: false },
    open: async (options) => {
      const database = new MapDatabase();
      const store = await openKeyValueArtifactStore(database, options);
      databases.set(store, database);
      return store;
    },
    reopen: async (store, options) => {
      await store.close();
      return openKeyValueArtifactStore(databases.get(store) ?? new MapDatabase(), options);
    },
    corrupt: async (store, artifactId, { kind, offset }) => {
      const database = databases.get(store) ?? new MapDatabase();
      const { place }: { place: string } = JSON.parse(
        new TextDecoder().decode(await database.get(`blob/${artifactId}`)),
      );
      const keys = await database.keys(`data/${place}/`);
      const [key = "", ...later] = keys.slice(Math.floor(offset / 2 ** 20));
      const chunk = (await database.get(key)) ?? new Uint8Array();
      const at = offset % 2 ** 20;
      chunk[at] = (chunk[at] ?? 0) ^ 1;
      database.entries.set(key, kind === "flip" ? chunk : chunk.subarray(0, at));
      for (const key of kind === "cut" ? later : []) database.entries.delete(key);
    },
  });
  it.each(rules.map(({ name, run }) => [name, run] as const))("%s", async (_, run) => {
    await expect(run()).resolves.toBeUndefined();
  });

  it("leaves no bytes behind that no record names", async () => {
    const database = new MapDatabase();
    const store = await openKeyValueArtifactStore(database);
    const content = new Uint8Array(3 * 2 ** 20).fill(1);
    const { artifactId } = await store.store(content, { source: "a" });
    await store.store(content, { source: "b" });
    expect(await database.keys("data/")).toHaveLength(3);
    await store.delete(artifactId);
    await store.collectGarbage({ graceMs: 0 });
    expect([...database.entries.keys()]).toEqual([]);
  });

  it("leaves nothing behind where a commit was refused, or failed before it was written", async () => {
    const database = new MapDatabase();
    const store = await openKeyValueArtifactStore(database);
    const content = new Uint8Array(3 * 2 ** 20).fill(1);
    database.fault = "refuse";
    await expect(store.store(content, { source: "a" })).rejects.toMatchObject({
      code: "store_failed",
    });
    expect([...database.entries.keys()]).toEqual([]);
    database.fault = undefined;
    const get = database.get.bind(database);
    let reads = 0;
    database.get = async (key) =>
      (reads += 1) === 3 ? Promise.reject(new Error("No.")) : get(key);
    const items = [content, content.map(() => 2)].map((bytes) => ({ content: bytes, source: "a" }));
    await expect(store.storeMany(items)).rejects.toMatchObject({ code: "store_failed" });
    expect([...database.entries.keys()]).toEqual([]);
  });

  it("keeps the bytes of a commit whose answer was lost", async () => {
    const database = new MapDatabase();
    const store = await openKeyValueArtifactStore(database);
    const content = new Uint8Array(3 * 2 ** 20).fill(1);
    database.fault = "lose the answer";
    await expect(store.store(content, { source: "a" })).rejects.toMatchObject({
      code: "store_failed",
    });
    const { handles } = await store.listHandles();
    assertBytes(await store.retrieve(handles[0]?.artifactId ?? ""), content);
  });

  it("stands in the page as it is here", () => {
    const page = readFileSync(new URL("../../../../docs/custom-store.md", import.meta.url), "utf8");
    const source = readFileSync(
      new URL("./__fixtures__/key-value-store.ts", import.meta.url),
      "utf8",
    );
    const published = source
      .replace('"../../index.ts"', '"@ccl/artifact-store"')
      .replace('"../../driver/index.ts"', '"@ccl/artifact-store/driver"');
    expect(page).toContain(published);
  });
});
