import { sleep } from "@ccl/core/async";
import { describe, expect, it, vi } from "vitest";
import type { ArtifactHandle, ArtifactStore } from "../artifact-store.ts";
import { ArtifactStoreError } from "../artifact-store-error.ts";
import { createArtifactStore, planEviction, type ArtifactDriver } from "../driver/index.ts";
import { createMemoryDriver } from "../memory/memory-driver.ts";
import { MemoryState } from "../memory/memory-state.ts";
import { isBytes } from "../store/is-bytes.ts";
import {
  artifactStoreConformance,
  type ConformanceOpenOptions,
  type ConformanceOptions,
} from "./index.ts";
import { isAtLeast } from "../../../../scripts/lengths/test-length.mjs";

interface Parts {
  state: MemoryState;
  driver: ArtifactDriver;
  options: ConformanceOpenOptions;
}

interface Fault {
  fault: string;
  /** The one rule that must fail, or where one can't fail alone, those. */
  rule: string | readonly string[];
  driver?: (parts: Parts) => Partial<ArtifactDriver>;
  store?: (store: ArtifactStore, parts: Parts) => Partial<ArtifactStore>;
  kit?: Partial<ConformanceOptions>;
}

const isAtLength = isAtLeast("faults");

const pause = async (): Promise<void> => {
  for (let turn = 0; turn < 50; turn += 1) await undefined;
};

async function* lazily(bytes: Uint8Array): AsyncGenerator<Uint8Array, void> {
  yield bytes;
}

const isCorrupt = (error: unknown): boolean =>
  ArtifactStoreError.isInstance(error) && error.code === "damaged";

/** The bytes as they lie there, where they are all there and not set aside; else the failure stands. */
function unchecked({ state }: Parts, artifactId: string, error: unknown): Uint8Array {
  const blob = state.blobs.get(artifactId);
  if (!isCorrupt(error) || blob === undefined || blob.isQuarantined) throw error;
  if (blob.bytes.length !== blob.record.sizeBytes) throw error;
  return blob.bytes.slice();
}

const faults: Fault[] = [
  {
    fault: "keeps what the caller's buffer holds later",
    rule: "bytes are kept as they are at the moment of the call",
    store: (store) => ({
      store: (content, options) =>
        store.store(isBytes(content) ? lazily(content) : content, options),
    }),
  },
  {
    fault: "hands out its own memory",
    rule: "returned bytes are the caller's own",
    driver: ({ driver, state }) => ({
      find: async (artifactId, options) => {
        const found = await driver.find(artifactId, options);
        const bytes = state.blobs.get(artifactId)?.bytes;
        return found && bytes && bytes.length < 2 ** 20 ? { ...found, bytes } : found;
      },
    }),
  },
  {
    fault: "hands out the handles that it keeps",
    rule: "a returned handle can be changed without changing the store",
    store: (store) => {
      const kept = new Map<string, ArtifactHandle>();
      return {
        getHandles: async (artifactId, options) => {
          const handles = await store.getHandles(artifactId, options);
          for (const handle of handles)
            if (!kept.has(handle.handleId)) kept.set(handle.handleId, handle);
          return handles.map((handle) => kept.get(handle.handleId) ?? handle);
        },
      };
    },
  },
  {
    fault: "gives imported handles ids of its own",
    rule: "an imported handle keeps its id, time and summary, and is added once",
    store: (store) => ({
      store: async (content, options) => {
        if (options?.imported?.handleId.length !== 36) return store.store(content, options);
        const { imported, ...rest } = options;
        return store.store(content, { ...rest, summary: imported.summary });
      },
    }),
  },
  {
    fault: "ignores the range of a stream",
    rule: [
      "a stream of a range gives exactly its bytes, at and across chunk borders",
      "a stream of a range gives what is there of it",
    ],
    store: (store) => ({
      retrieveStream: async (artifactId, options) => {
        await store.retrieveStream(artifactId, options);
        const { range: _, ...rest } = options ?? {};
        return store.retrieveStream(artifactId, rest);
      },
    }),
  },
  {
    fault: "refuses a range past the end",
    rule: "a range gives what is there of it",
    store: (store) => ({
      retrieve: async (artifactId, options) => {
        const bytes = await store.retrieve(artifactId, options);
        const [handle] = options?.range ? await store.getHandles(artifactId) : [];
        if ((options?.range?.start ?? 0) > (handle?.sizeBytes ?? Infinity)) {
          throw new ArtifactStoreError("invalid_input", "The range starts past the end.");
        }
        return bytes;
      },
    }),
  },
  {
    fault: "compares sessions without case",
    rule: "sessions and sources that only look alike are different",
    driver: ({ driver }) => ({
      listHandles: async ({ sessionId, limit, ...rest }) => {
        const all = await driver.listHandles({ ...rest, limit: Infinity });
        const wanted = sessionId?.toLowerCase();
        return all
          .filter(
            (handle) =>
              wanted === undefined ||
              (!("isDamaged" in handle) && handle.sessionId?.toLowerCase() === wanted),
          )
          .slice(0, limit);
      },
    }),
  },
  {
    fault: "counts pages by offsets",
    rule: "handles that come or go between pages neither repeat nor hide others",
    store: (store) => ({
      listHandles: async ({ cursor, limit = 100, ...rest } = {}) => {
        if (cursor !== undefined && !/^\d{6}$/.test(cursor))
          return store.listHandles({ ...rest, cursor });
        const start = Number(cursor ?? 0);
        await store.listHandles({ ...rest, limit });
        const { handles } = await store.listHandles({ ...rest, limit: 1000 });
        const page = { handles: handles.slice(start, start + limit) };
        return start + limit < handles.length
          ? { ...page, cursor: String(start + limit).padStart(6, "0") }
          : page;
      },
    }),
  },
  {
    fault: "pages by handle ids alone",
    rule: "one handle id under two artifacts is two handles, in listings by id and then by artifact",
    driver: ({ driver }) => ({
      listHandles: ({ after, ...rest }) =>
        driver.listHandles(
          after === undefined ? rest : { ...rest, after: { ...after, artifactId: "~" } },
        ),
    }),
  },
  {
    fault: "gives the same page again and again",
    rule: "pages list every handle once, oldest first",
    store: (store) => ({
      listHandles: ({ cursor, ...rest } = {}) =>
        store.listHandles(cursor === undefined || rest.limit === 3 ? rest : { ...rest, cursor }),
    }),
  },
  {
    fault: "forgets the session when a handle is named",
    rule: "deleting by handle and session needs both to match",
    store: (store) => ({
      delete: async (artifactId, { handleId, sessionId, ...rest } = {}) =>
        handleId === undefined
          ? store.delete(artifactId, sessionId === undefined ? rest : { ...rest, sessionId })
          : store.delete(artifactId, { ...rest, handleId }),
    }),
  },
  {
    fault: "deletes a handle under any artifact",
    rule: "a handle is deleted only under its own artifact",
    driver: ({ driver, state }) => ({
      removeHandles: async (artifactId, match, options) => {
        const named = state.handles().find((handle) => handle.handleId === match.handleId);
        return driver.removeHandles(named?.artifactId ?? artifactId, match, options);
      },
    }),
  },
  {
    fault: "stores a batch one by one",
    rule: [
      "one bad item keeps the whole batch out",
      "readers during a batch see all of it or nothing",
    ],
    store: (store, { options: { limits } }) => ({
      storeMany: async (items, options) => {
        if (limits !== undefined || !Array.isArray(items)) return store.storeMany(items, options);
        const handles: ArtifactHandle[] = [];
        for (const { content, ...item } of items) {
          handles.push(await store.store(content, { ...item, ...options }));
          // Long enough for a reader to look between two of them.
          await sleep(20);
        }
        await store.storeMany([], options);
        return handles;
      },
    }),
  },
  {
    fault: "checks limits before its transaction",
    rule: "concurrent puts never pass a limit together",
    driver: ({ driver, state }) => ({
      commit: async (puts, { limits, ...rest }) => {
        planEviction(state.usage(), puts, limits);
        await pause();
        return driver.commit(puts, { ...rest, limits: limits.whenFull === "evict" ? limits : {} });
      },
    }),
  },
  {
    fault: "evicts handles of other sessions",
    rule: "eviction from a session leaves other sessions and the bytes they share",
    driver: ({ driver, state }) => ({
      commit: async (puts, { limits, ...rest }) => {
        const { handles } = planEviction(state.usage(), puts, limits);
        const outcomes = await driver.commit(puts, { limits, ...rest });
        const isOfSession = limits.maxStoreBytes === undefined && handles.size > 0;
        const own = new Set(puts.map(({ record }) => record.artifactId));
        const other = state.handles().find(({ artifactId }) => !own.has(artifactId));
        if (isOfSession && other !== undefined) state.removeHandle(other);
        return outcomes;
      },
    }),
  },
  {
    fault: "makes room in the store by what it is about to store",
    rule: "eviction from the store leaves the handles of artifacts of the same batch",
    driver: ({ driver, state }) => ({ commit: evictingOwn(driver, state, "maxStoreBytes") }),
  },
  {
    fault: "makes room in a session by what it is about to store",
    rule: "eviction from a session leaves the handles of artifacts of the same batch",
    driver: ({ driver, state }) => ({ commit: evictingOwn(driver, state, "maxSessionBytes") }),
  },
  {
    fault: "checks limits that a put does not touch",
    rule: "a put that adds nothing to a sum is taken where the store was opened with a limit below it",
    driver: ({ driver, state }) => ({
      commit: async (puts, options) => {
        const { maxStoreBytes = Infinity } = options.limits;
        const sizes = [...state.usage().sizes.values()];
        if (sizes.reduce((sum, size) => sum + size, 0) > maxStoreBytes)
          throw new ArtifactStoreError("limit_exceeded", "The store is full.");
        return driver.commit(puts, options);
      },
    }),
  },
  {
    fault: "ends a stream where its bytes are gone",
    rule: "a reader whose artifact is collected gets all of its bytes, or an error, never fewer",
    driver: ({ driver, state }) => ({
      find: async (artifactId, options) => {
        const found = await driver.find(artifactId, options);
        return (
          found && {
            ...found,
            async *read(...span) {
              for await (const piece of found.read(...span))
                if (state.blobs.has(artifactId)) yield piece;
            },
          }
        );
      },
    }),
    store: (store) => ({
      retrieveStream: async (artifactId, options) => {
        const stream = await store.retrieveStream(artifactId, options);
        return stream && untilFailure(stream);
      },
    }),
  },
  {
    fault: "ignores the grace age",
    rule: "the grace age counts from the loss of the last reference",
    driver: ({ driver }) => ({
      collect: (options) => driver.collect({ ...options, until: Infinity }),
    }),
  },
  {
    fault: "collects in a dry run",
    rule: "a dry run says what would go and removes nothing",
    driver: ({ driver }) => ({
      collect: (options) => driver.collect({ ...options, isDryRun: false }),
    }),
  },
  {
    fault: "frees what it found unreferenced a moment before",
    rule: "a collection that meets a put of the same bytes loses nothing",
    driver: ({ driver, state }) => ({
      collect: async (options) => {
        const found = await driver.collect({ ...options, isDryRun: true });
        await pause();
        for (const { artifactId } of options.isDryRun ? [] : found) state.blobs.delete(artifactId);
        return found;
      },
    }),
  },
  {
    fault: "does not check whole reads",
    rule: "a whole read of flipped bytes fails with damaged",
    store: (store, parts) => ({
      retrieve: async (artifactId, options) =>
        store.retrieve(artifactId, options).catch((error: unknown) => {
          if (options?.range !== undefined) throw error;
          return unchecked(parts, artifactId, error);
        }),
    }),
  },
  {
    fault: "does not check ranges",
    rule: "a range of flipped bytes fails with damaged",
    store: (store, parts) => ({
      retrieve: async (artifactId, options) =>
        store.retrieve(artifactId, options).catch((error: unknown) => {
          if (options?.range === undefined) throw error;
          return unchecked(parts, artifactId, error).slice(options.range.start, options.range.end);
        }),
    }),
  },
  {
    fault: "does not check streams",
    rule: "a stream hands out no flipped byte and fails with damaged",
    store: (store, parts) => ({
      retrieveStream: async (artifactId, options) => {
        const stream = await store.retrieveStream(artifactId, options);
        return stream && uncheckedStream(stream, parts, artifactId);
      },
    }),
  },
  {
    fault: "drops the older handles of what it repairs",
    rule: "storing the same bytes repairs a damaged artifact and keeps its handles",
    driver: ({ driver, state }) => ({
      repair: async (record, content, options) => {
        await driver.repair(record, content, options);
        const [first] = state.blobs.get(record.artifactId)?.handles ?? [];
        if (first !== undefined) state.removeHandle(first);
      },
    }),
  },
  {
    fault: "sets nothing aside",
    rule: "what verify has set aside fails with damaged and does not exist, until it is stored again",
    driver: () => ({ quarantine: async () => undefined }),
  },
  {
    fault: "closes under the feet of calls",
    rule: "closing waits for calls under way",
    store: (store) => {
      let isClosed = false;
      return {
        store: async (content, options) => {
          const handle = await store.store(content, options);
          if (isClosed) throw new ArtifactStoreError("closed", "The store is closed.");
          return handle;
        },
        close: () => {
          isClosed = true;
          return store.close();
        },
      };
    },
  },
  {
    fault: "forgets everything when it is opened again",
    rule: [
      "a put that adds nothing to a sum is taken where the store was opened with a limit below it",
      "a store that is opened again has everything that was stored, and nothing that was deleted",
    ],
    kit: {
      reopen: async (store, options) => {
        await store.close();
        return createArtifactStore(createMemoryDriver(), options);
      },
    },
  },
  {
    fault: "takes limits that it does not keep",
    rule: "a store without limits refuses to be opened with some",
    kit: { capabilities: { hasLimits: false } },
  },
  {
    fault: "outlives its process although it says that it does not",
    rule: "a store that is not durable is empty when it is opened again",
    kit: { capabilities: { isDurable: false } },
  },
];

/** Takes the oldest handle of an artifact of the same batch where anything has to go. */
function evictingOwn(
  driver: ArtifactDriver,
  state: MemoryState,
  limit: "maxStoreBytes" | "maxSessionBytes",
): ArtifactDriver["commit"] {
  return async (puts, options) => {
    const isBatch = puts.length > 1 && options.limits[limit] !== undefined;
    const isFull = isBatch && planEviction(state.usage(), puts, options.limits).handles.size > 0;
    const own = new Set(puts.map(({ record }) => record.artifactId));
    const oldest = isFull
      ? state.handles().find(({ artifactId }) => own.has(artifactId))
      : undefined;
    if (oldest !== undefined) state.removeHandle(oldest);
    return driver.commit(puts, options);
  };
}

async function* untilFailure(stream: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  try {
    yield* stream;
  } catch (error) {
    if (!ArtifactStoreError.isInstance(error) || error.code !== "unavailable") throw error;
  }
}

async function* uncheckedStream(
  stream: AsyncIterable<Uint8Array>,
  parts: Parts,
  artifactId: string,
): AsyncGenerator<Uint8Array, void> {
  let at = 0;
  try {
    for await (const piece of stream) {
      at += piece.length;
      yield piece;
    }
  } catch (error) {
    yield unchecked(parts, artifactId, error).subarray(at);
  }
}

/** The rules that fail, of those that `isTried` picks. */
async function failingRules(
  { driver, store, kit }: Omit<Fault, "fault" | "rule">,
  isTried: (name: string) => boolean = () => true,
): Promise<string[]> {
  const opened = new WeakMap<ArtifactStore, Parts>();
  const openOver = (state: MemoryState, options: ConformanceOpenOptions): ArtifactStore => {
    const parts = { state, driver: createMemoryDriver(state), options };
    const whole = createArtifactStore({ ...parts.driver, ...driver?.(parts) }, options);
    const broken = { ...whole, ...store?.(whole, parts) };
    opened.set(broken, parts);
    return broken;
  };
  const rules = artifactStoreConformance({
    open: async (options) => openOver(new MemoryState(), options),
    reopen: async (store, options) => {
      await store.close();
      const parts = opened.get(store);
      if (parts === undefined) throw new Error("This is no store of this kit.");
      return openOver(parts.state, options);
    },
    corrupt: async (store, artifactId, { kind, offset }) => {
      const blob = opened.get(store)?.state.blobs.get(artifactId);
      if (blob === undefined) throw new Error("There is no such blob.");
      if (kind === "cut") blob.bytes = blob.bytes.slice(0, offset);
      else blob.bytes[offset] = (blob.bytes[offset] ?? 0) ^ 1;
    },
    ...kit,
  });
  const failed: string[] = [];
  for (const { name, run } of rules) if (isTried(name)) await run().catch(() => failed.push(name));
  return failed;
}

describe("the kit", () => {
  it("finds nothing in a store that keeps its promises", async () => {
    expect(await failingRules({})).toEqual([]);
  });

  it.each(faults)("finds the store that $fault", async ({ rule, ...broken }) => {
    const expected = [rule].flat();
    // That no other rule fails is seen in the longer runs.
    const isTried = isAtLength ? undefined : (name: string): boolean => expected.includes(name);
    expect(await failingRules(broken, isTried)).toEqual(expected);
  });

  it("fails a rule whose store never answers, in time, and leaves no timer", async () => {
    vi.useFakeTimers();
    try {
      const never = (): Promise<never> => new Promise(() => undefined);
      const runWith = async (driver: Partial<ArtifactDriver>): Promise<void> => {
        const open = async (): Promise<ArtifactStore> =>
          createArtifactStore({ ...createMemoryDriver(), ...driver });
        const rules = artifactStoreConformance({ open, ruleTimeoutMs: 5_000 });
        const rule = rules.find(
          ({ name }) => name === "pages list every handle once, oldest first",
        );
        const settled = Promise.allSettled([rule?.run()]);
        await vi.advanceTimersByTimeAsync(5_000);
        for (const result of await settled) if (result.status === "rejected") throw result.reason;
      };
      await runWith({});
      expect(vi.getTimerCount()).toBe(0);
      await expect(runWith({ listHandles: never })).rejects.toThrow("took longer than 5000 ms");
      await expect(runWith({ close: never })).rejects.toThrow("took longer than 5000 ms");
      expect(vi.getTimerCount()).toBe(0);
    } finally {
      vi.useRealTimers();
    }
  });

  it("has a name of its own for every rule", () => {
    const names = artifactStoreConformance({ open: () => Promise.reject(new Error("unused")) }).map(
      ({ name }) => name,
    );
    expect(new Set(names).size).toBe(names.length);
    expect(names.length).toBeGreaterThan(70);
  });

  it.each(["reopen", "corrupt"] as const)(
    "fails where %s is neither given nor declared needless",
    async (hook) => {
      const kit: Partial<ConformanceOptions> = { [hook]: undefined };
      expect(await failingRules({ kit })).not.toEqual([]);
    },
  );
});
