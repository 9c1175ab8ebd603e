import type { ConformanceHooks } from "@ccl/core/conformance";
import { describe, expect, it } from "vitest";

import type { CatalogStore } from "../store/catalog-store.ts";
import { createMemoryCatalogStore } from "../store/create-memory-catalog-store.ts";
import { catalogStoreConformance } from "./index.ts";

async function failures(options: ConformanceHooks<CatalogStore>): Promise<string[]> {
  const failed: string[] = [];
  for (const { name, run } of catalogStoreConformance(options)) {
    await run().catch(() => failed.push(name));
  }
  return failed;
}

const handles = new WeakMap<CatalogStore, CatalogStore>();

/** A handle on data that outlives it. */
function openHandle(data: CatalogStore = createMemoryCatalogStore()): CatalogStore {
  let isClosed = false;
  const guard = async <Value>(call: () => Promise<Value>): Promise<Value> => {
    if (!isClosed) return call();
    const closed = createMemoryCatalogStore();
    await closed.close();
    await closed.list();
    return call();
  };
  const handle: CatalogStore = {
    name: "handle",
    write: (...args) => guard(() => data.write(...args)),
    read: (...args) => guard(() => data.read(...args)),
    list: (...args) => guard(() => data.list(...args)),
    changesAfter: (...args) => guard(() => data.changesAfter(...args)),
    history: (...args) => guard(() => data.history(...args)),
    loadVectors: (...args) => guard(() => data.loadVectors(...args)),
    saveVectors: (...args) => guard(() => data.saveVectors(...args)),
    async close() {
      isClosed = true;
    },
  };
  handles.set(handle, data);
  return handle;
}

const sound: ConformanceHooks<CatalogStore> = {
  open: async () => openHandle(),
  async reopen(store) {
    await store.close();
    return openHandle(handles.get(store));
  },
  openSecond: async (store) => openHandle(handles.get(store)),
};

type Fault = (store: CatalogStore) => Partial<CatalogStore>;
const broken: [fault: string, rule: string, Fault][] = [
  [
    "drops members that it does not know",
    "records come back equal, unknown members included",
    (store) => ({
      write: (writes, options) =>
        store.write(
          writes.map((write) => {
            if (write.record === undefined) return write;
            const { x_unknown: _, ...record } = write.record;
            return { ...write, record };
          }),
          options,
        ),
    }),
  ],
  [
    "leaves missing ids out of what it reads",
    "read answers every id in the order asked",
    (store) => ({
      read: async (ids) => (await store.read(ids)).filter((one) => one !== undefined),
    }),
  ],
  [
    "folds the case of ids",
    "ids that differ in case or by a blank are different ids",
    (store) => ({ read: (ids) => store.read(ids.map((id) => id.toLowerCase())) }),
  ],
  [
    "gives the number of writes as the version",
    "every write has a version of its own, and write gives the last one",
    (store) => ({
      write: async (writes, options) => {
        await store.write(writes, options);
        return writes.length;
      },
    }),
  ],
  [
    "counts an empty batch as a version",
    "no writes change nothing",
    (store) => ({
      write: async (writes, options) =>
        (await store.write(writes, options)) + (writes.length === 0 ? 1 : 0),
    }),
  ],
  [
    "writes one by one",
    "a batch with one conflict writes nothing, and names the ids that conflict",
    (store) => ({
      write: async (writes, options) => {
        if (writes.length !== 3 || writes[0]?.id !== "new") return store.write(writes, options);
        let version = 0;
        for (const write of writes) version = await store.write([write], options);
        return version;
      },
    }),
  ],
  [
    "lets a writer through that is ahead",
    "a version that is behind or ahead of the record's conflicts",
    (store) => ({
      write: async (writes, options) => {
        const found = await store.read(writes.map(({ id }) => id));
        const versions = found.map((one) => one?.version ?? 0);
        const isAhead =
          writes.length === 1 &&
          versions[0] !== 0 &&
          (writes[0]?.expectedVersion ?? 0) > (versions[0] ?? 0);
        if (!isAhead) return store.write(writes, options);
        return store.write(
          writes.map((write, at) => ({ ...write, expectedVersion: versions[at] ?? 0 })),
          options,
        );
      },
    }),
  ],
  [
    "forgets the history of what is removed",
    "a removal takes the record away and leaves its history",
    (store) => ({
      history: async (id, options) => {
        const page = await store.history(id, options);
        return page.entries[0]?.kind === "removed" ? { entries: [] } : page;
      },
    }),
  ],
  [
    "goes by locale",
    "a listing goes by code units",
    (store) => ({
      list: async (options) => {
        const page = await store.list(options);
        const resources = page.resources.toSorted((one, two) =>
          one.record.id.localeCompare(two.record.id),
        );
        return options?.limit === undefined ? { ...page, resources } : page;
      },
    }),
  ],
  [
    "gives a cursor on the last page",
    "pages hold as many records as asked for, and the last has no cursor",
    (store) => ({
      list: async (options) => {
        const page = await store.list(options);
        return options?.limit === page.resources.length
          ? { ...page, cursor: page.resources.at(-1)?.record.id ?? "" }
          : page;
      },
    }),
  ],
  [
    "counts cursors as offsets",
    "a cursor goes on where its page ended, though records came and went",
    (store) => ({
      list: async ({ cursor, limit = 100 } = {}) => {
        const { resources } = await store.list({ limit: 1_000 });
        const start = Number(cursor ?? 0);
        const page = resources.slice(start, start + limit);
        return start + limit < resources.length
          ? { resources: page, cursor: String(start + limit) }
          : { resources: page };
      },
    }),
  ],
  [
    "keeps quiet about removals",
    "changes come oldest first, each id once, removals included",
    (store) => ({
      changesAfter: async (version, options) => {
        const page = await store.changesAfter(version, options);
        return { ...page, changes: page.changes.filter(({ isRemoved }) => !isRemoved) };
      },
    }),
  ],
  [
    "skips what lies between two pages of changes",
    "changes come in pages that leave nothing out",
    (store) => ({
      changesAfter: async (version, options) => {
        const page = await store.changesAfter(version, options);
        return page.hasMore ? { ...page, after: page.after + 1 } : page;
      },
    }),
  ],
  [
    "gives histories oldest first",
    "a history goes newest first, in pages, and stands still while entries are added",
    (store) => ({
      history: async (id, options) => {
        const page = await store.history(id, options);
        return options?.limit === undefined
          ? page
          : { ...page, entries: page.entries.toReversed() };
      },
    }),
  ],
  [
    "takes any limit",
    "limits, cursors and versions out of bounds are refused",
    (store) => ({ list: (options) => store.list(options?.limit === 1_001 ? {} : options) }),
  ],
  [
    "mixes the vectors of two embedders",
    "vectors come back to the bit, apart for each embedder",
    (store) => ({
      loadVectors: (_, hashes, options) => store.loadVectors("one", hashes, options),
      saveVectors: (_, entries, options) => store.saveVectors("one", entries, options),
    }),
  ],
  [
    "reads on after an abort",
    "a call whose signal is aborted changes nothing",
    (store) => ({ list: (options) => store.list(options?.signal === undefined ? options : {}) }),
  ],
  [
    "answers when it is closed",
    "a closed store refuses every call, and closes twice",
    (store) => ({
      changesAfter: async (version, options) => {
        return store.changesAfter(version, options).catch((error: unknown) => {
          if (options?.signal === undefined && version === 0)
            return { changes: [], after: 0, hasMore: false };
          throw error;
        });
      },
    }),
  ],
  [
    "takes two writes to one id",
    "two writes to one id, or a write with another id, are refused whole",
    (store) => ({
      write: (writes, options) => {
        const byId = new Map(writes.map((write) => [write.id, write]));
        return store.write([...byId.values()], options);
      },
    }),
  ],
];

describe("the conformance kit", () => {
  it("passes a store that does everything right", async () => {
    expect(await failures(sound)).toEqual([]);
  });

  it.each(broken)("finds a store that %s", async (_, rule, fault) => {
    const open = async (): Promise<CatalogStore> => {
      const store = createMemoryCatalogStore();
      return { ...store, ...fault(store) };
    };
    expect(await failures({ open })).toContain(rule);
  });

  it("finds a store that forgets when it is closed", async () => {
    const forgetful = { ...sound, reopen: async () => openHandle() };
    expect(await failures(forgetful)).toEqual([
      "records, changes, history and vectors outlive the store",
    ]);
  });

  it("finds a second handle that looks elsewhere", async () => {
    const apart = { ...sound, openSecond: async () => openHandle() };
    expect(await failures(apart)).toEqual([
      "a second handle sees what the first wrote, and conflicts where it must",
    ]);
  });
});
