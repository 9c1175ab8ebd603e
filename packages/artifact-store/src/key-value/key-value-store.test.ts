import { describe, expect, it } from "vitest";

import { assertBytes } from "../conformance/bench.ts";
import { keyValueStoreConformance } from "../conformance/index.ts";
import { createKeyValueArtifactStore, type KeyValueDatabase } from "../index.ts";

/** A map, as simple as a database can be. */
class MapDatabase implements KeyValueDatabase {
  readonly entries: Map<string, Uint8Array> = new Map();
  /** What becomes of writes whose key begins so. */
  failure: { prefix: string; isWritten: boolean } | undefined;

  async get(key: string): Promise<Uint8Array | undefined> {
    return this.entries.get(key)?.slice();
  }

  async set(key: string, value: Uint8Array): Promise<void> {
    const isFailing = this.failure !== undefined && key.startsWith(this.failure.prefix);
    if (!isFailing || this.failure?.isWritten === true) this.entries.set(key, value.slice());
    if (isFailing) throw new Error("The connection was lost.");
  }

  async delete(key: string): Promise<void> {
    this.entries.delete(key);
  }

  keys(prefix: string): string[] {
    return [...this.entries.keys()].filter((key) => key.startsWith(prefix));
  }
}

const large = new Uint8Array(3 * 2 ** 20).fill(1);

/** Databases with a mistake that adapters make. */
const broken: Record<string, (map: MapDatabase) => Partial<KeyValueDatabase>> = {
  "ignores the prefix of keys": (map) => ({ keys: () => map.keys("") }),
  "lists only the first keys": (map) => ({ keys: (prefix) => map.keys(prefix).slice(0, 2) }),
  "lists a thousand keys and no more": (map) => ({
    keys: (prefix) => map.keys(prefix).slice(0, 1_000),
  }),
  "lists keys without their prefix": (map) => ({
    keys: (prefix) => map.keys(prefix).map((key) => key.slice(prefix.length)),
  }),
  "does not tell letters of either case apart": (map) => ({
    get: (key) => map.get(key.toLowerCase()),
    set: (key, value) => map.set(key.toLowerCase(), value),
  }),
  "fails where there is no such key": (map) => ({
    async get(key) {
      const value = await map.get(key);
      if (value === undefined) throw new Error("NoSuchKey");
      return value;
    },
  }),
  "cuts long values": (map) => ({ set: (key, value) => map.set(key, value.slice(0, 65_536)) }),
  "keeps values as text": (map) => ({
    set: (key, value) => map.set(key, new TextEncoder().encode(new TextDecoder().decode(value))),
  }),
  "does not delete": () => ({ delete: async () => {} }),
  "never replaces a value": (map) => ({
    set: async (key, value) => (map.entries.has(key) ? undefined : map.set(key, value)),
  }),
  "answers before it has written": (map) => ({
    async set(key, value) {
      const copy = value.slice();
      setTimeout(() => void map.set(key, copy), 5);
    },
  }),
  "forgets what was written last": (map) => {
    let last: [string, Uint8Array] | undefined;
    return {
      async set(key, value) {
        if (last !== undefined) await map.set(...last);
        last = [key, value.slice()];
      },
    };
  },
  "loses empty values": (map) => ({
    get: async (key) => {
      const value = await map.get(key);
      return value?.length === 1 ? undefined : value;
    },
  }),
};

describe("the kit for key-value databases", () => {
  it.each(Object.entries(broken))("finds the database that %s", async (_, change) => {
    const open = async (): Promise<KeyValueDatabase> => {
      const map = new MapDatabase();
      const whole: KeyValueDatabase = {
        get: (key) => map.get(key),
        set: (key, value) => map.set(key, value),
        delete: (key) => map.delete(key),
        keys: (prefix) => map.keys(prefix),
      };
      return { ...whole, ...change(map) };
    };
    const rules = keyValueStoreConformance({ open, ruleTimeoutMs: 2_000 });
    let found = 0;
    for (const { run } of rules) {
      await run().catch(() => (found += 1));
      if (found > 0) break;
    }
    expect(found).toBe(1);
  });
});

describe("a store over a map", () => {
  const rules = keyValueStoreConformance({ open: async () => new MapDatabase() });
  it.each(rules.map(({ name, run }) => [name, run] as const))("%s", async (_, run) => {
    await expect(run()).resolves.toBeUndefined();
  });

  it("leaves no key behind that nothing names", async () => {
    const database = new MapDatabase();
    const store = createKeyValueArtifactStore(database);
    const { artifactId } = await store.store(large, { source: "a" });
    await store.storeMany([
      { content: large, source: "b" },
      { content: "small", source: "b" },
    ]);
    expect(database.keys("data/")).toHaveLength(4);
    expect(database.keys("batch/")).toEqual([]);
    await store.delete(artifactId);
    for (const { artifactId: id } of (await store.listHandles()).handles) await store.delete(id);
    await store.collectGarbage({ graceMs: 0 });
    expect([...database.entries.keys()]).toEqual([]);
  });

  it("frees what a commit that failed has left, but nothing that is being written", async () => {
    const database = new MapDatabase();
    const store = createKeyValueArtifactStore(database);
    database.failure = { prefix: "blob/", isWritten: false };
    await expect(store.store(large, { source: "a" })).rejects.toMatchObject({
      code: "unavailable",
    });
    database.failure = undefined;
    expect((await store.listHandles()).handles).toEqual([]);
    const slow = async function* (): AsyncGenerator<Uint8Array> {
      yield large;
      await store.collectGarbage({ graceMs: 0 });
      yield large;
    };
    const kept = await store.store(slow(), { source: "b" });
    expect((await store.retrieve(kept.artifactId))?.length).toBe(2 * large.length);
    expect(database.keys("data/")).toHaveLength(6);
  });

  it("keeps the bytes of a commit whose answer was lost", async () => {
    const database = new MapDatabase();
    const store = createKeyValueArtifactStore(database);
    database.failure = { prefix: "blob/", isWritten: true };
    await expect(store.store(large, { source: "a" })).rejects.toMatchObject({
      code: "unavailable",
    });
    const { handles } = await store.listHandles();
    assertBytes(await store.retrieve(handles[0]?.artifactId ?? ""), large);
  });

  it("takes an ArrayBuffer for a value, and null for none", async () => {
    const map = new MapDatabase();
    const store = createKeyValueArtifactStore({
      get: async (key) => ((await map.get(key))?.buffer as ArrayBuffer | null | undefined) ?? null,
      set: (key, value) => map.set(key, value),
      delete: (key) => map.delete(key),
      keys: (prefix) => map.keys(prefix),
    });
    const { artifactId } = await store.store("text", { source: "a" });
    expect(new TextDecoder().decode(await store.retrieve(artifactId))).toBe("text");
  });

  it("refuses limits that it can't keep", () => {
    const limits = { maxStoreBytes: 1 };
    expect(() => createKeyValueArtifactStore(new MapDatabase(), { limits })).toThrow(
      expect.objectContaining({ code: "unsupported" }),
    );
    const own = createKeyValueArtifactStore(new MapDatabase(), { limits: { maxArtifactBytes: 3 } });
    return expect(own.store("four", { source: "a" })).rejects.toMatchObject({
      code: "limit_exceeded",
    });
  });
});
