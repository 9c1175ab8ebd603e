import { ArtifactStoreError } from "../artifact-store-error.ts";
import { rejectsWith } from "@ccl/core/conformance";
import assert from "node:assert/strict";
import type { ArtifactHandle } from "../artifact-store.ts";
import { inPieces, listAll, mebibyte, someBytes, type Bench, type Rule } from "./bench.ts";

const source = "tool:test";
const size = 1_000;

/** Limits, checked in the transaction of the put. */
export const limitRules: Rule[] = [
  {
    name: "an artifact above the limit of one is refused, as bytes and as a stream",
    needs: "limits",
    limits: (of) => ({ maxArtifactBytes: of(size) }),
    async check(bench) {
      await bench.put(size);
      const above = someBytes(size + 1, 50);
      const endless = async function* (): AsyncGenerator<Uint8Array, void> {
        for (;;) yield new Uint8Array(mebibyte);
      };
      for (const content of [above, inPieces(above, 100), endless()]) {
        await rejectsWith(ArtifactStoreError, "limit_exceeded", () =>
          bench.store.store(content, { source }),
        );
      }
      assert.equal((await listAll(bench.store)).length, 1);
    },
  },
  {
    name: "a put above the limit of the store is refused and changes nothing",
    needs: "limits",
    limits: (of) => ({ maxStoreBytes: 2 * of(size) }),
    async check(bench) {
      const kept = [await bench.put(size, { seed: 1 }), await bench.put(size, { seed: 2 })];
      await rejectsWith(ArtifactStoreError, "limit_exceeded", () => bench.put(size, { seed: 3 }));
      assert.deepEqual(await listAll(bench.store), kept);
      assert.equal(await bench.store.exists(await bench.idOf(someBytes(size, 3))), false);
    },
  },
  {
    name: "bytes that are there already take no room",
    needs: "limits",
    limits: (of) => ({ maxStoreBytes: of(size), maxSessionBytes: of(size) }),
    async check(bench) {
      for (const sessionId of ["s1", "s1", "s2"]) await bench.put(size, { sessionId });
      assert.equal((await listAll(bench.store)).length, 3);
    },
  },
  {
    name: "the limit of the store counts unreferenced bytes until they are collected",
    needs: "limits",
    limits: (of) => ({ maxStoreBytes: of(size) }),
    async check(bench) {
      const { artifactId } = await bench.put(size, { seed: 1 });
      await bench.store.delete(artifactId);
      await rejectsWith(ArtifactStoreError, "limit_exceeded", () => bench.put(size, { seed: 2 }));
      await bench.store.collectGarbage({ graceMs: 0 });
      await bench.put(size, { seed: 2 });
    },
  },
  {
    name: "a put above the limit of its session is refused, and other sessions are not concerned",
    needs: "limits",
    limits: (of) => ({ maxSessionBytes: 2 * of(size) }),
    async check(bench) {
      await bench.put(size, { seed: 1, sessionId: "s1" });
      const { artifactId } = await bench.put(size, { seed: 2, sessionId: "s1" });
      await rejectsWith(ArtifactStoreError, "limit_exceeded", () =>
        bench.put(size, { seed: 3, sessionId: "s1" }),
      );
      await bench.put(size, { seed: 3, sessionId: "s2" });
      await bench.put(size, { seed: 4 });
      await bench.put(3 * size, { seed: 5 });
      await bench.store.delete(artifactId);
      await bench.put(size, { seed: 3, sessionId: "s1" });
    },
  },
  {
    name: "a batch above a limit is refused as a whole",
    needs: "limits",
    limits: (of) => ({ maxStoreBytes: 2 * of(size) }),
    async check(bench) {
      const contents = [1, 2, 3].map((seed) => someBytes(size, seed));
      const items = contents.map((content) => ({ content, source }));
      await rejectsWith(ArtifactStoreError, "limit_exceeded", () => bench.store.storeMany(items));
      await bench.isEmpty(...contents);
    },
  },
  {
    name: "concurrent puts never pass a limit together",
    needs: "limits",
    limits: (of) => ({ maxStoreBytes: 3 * of(size), maxSessionBytes: 3 * of(size) }),
    async check(bench) {
      const puts = Array.from({ length: 10 }, (_, seed) =>
        bench.put(size, { seed, sessionId: "s" }),
      );
      const results = await Promise.allSettled(puts);
      for (const result of results) {
        if (result.status === "rejected")
          await rejectsWith(ArtifactStoreError, "limit_exceeded", () =>
            Promise.reject(result.reason),
          );
      }
      assert.equal(results.filter((result) => result.status === "fulfilled").length, 3);
      assert.equal((await listAll(bench.store)).length, 3);
    },
  },
  {
    name: "eviction from the store takes the oldest handles and frees their bytes at once",
    needs: "limits",
    limits: (of) => ({ maxStoreBytes: 3 * of(size), whenFull: "evict" }),
    async check(bench) {
      const handles = [];
      for (const seed of [1, 2, 3, 4, 5]) handles.push(await bench.put(size, { seed }));
      assert.deepEqual(await listAll(bench.store), handles.slice(2));
      assert.equal(await bench.store.exists(handles[0]?.artifactId ?? ""), false);
      assert.deepEqual((await bench.store.collectGarbage({ graceMs: 0 })).artifactIds, []);
    },
  },
  {
    name: "eviction frees unreferenced bytes before it takes a handle",
    needs: "limits",
    limits: (of) => ({ maxStoreBytes: 2 * of(size), whenFull: "evict" }),
    async check(bench) {
      const oldest = await bench.put(size, { seed: 1 });
      const unreferenced = await bench.put(size, { seed: 2 });
      await bench.store.delete(unreferenced.artifactId);
      const newest = await bench.put(size, { seed: 3 });
      assert.deepEqual(await listAll(bench.store), [oldest, newest]);
    },
  },
  {
    name: "eviction from a session leaves other sessions and the bytes they share",
    needs: "limits",
    limits: (of) => ({ maxSessionBytes: 2 * of(size), whenFull: "evict" }),
    async check(bench) {
      await bench.put(size, { seed: 1, sessionId: "s1" });
      const shared = await bench.put(size, { seed: 1, sessionId: "s2" });
      const second = await bench.put(size, { seed: 2, sessionId: "s1" });
      const third = await bench.put(size, { seed: 3, sessionId: "s1" });
      assert.deepEqual(await listAll(bench.store), [shared, second, third]);
      await bench.holds(shared.artifactId, someBytes(size, 1));
    },
  },
  {
    name: "what is larger than a limit by itself is refused under eviction too, and evicts nothing",
    needs: "limits",
    limits: (of) => ({ maxStoreBytes: 2 * of(size), whenFull: "evict" }),
    async check(bench) {
      const kept = [await bench.put(size, { seed: 1 }), await bench.put(size, { seed: 2 })];
      await rejectsWith(ArtifactStoreError, "limit_exceeded", () =>
        bench.put(3 * size, { seed: 3 }),
      );
      const items = [4, 5, 6].map((seed) => ({ content: someBytes(size, seed), source }));
      await rejectsWith(ArtifactStoreError, "limit_exceeded", () => bench.store.storeMany(items));
      assert.deepEqual(await listAll(bench.store), kept);
    },
  },
  {
    name: "eviction from the store leaves the handles of artifacts of the same batch",
    needs: "limits",
    limits: (of) => ({ maxStoreBytes: 2 * of(size), whenFull: "evict" }),
    async check(bench) {
      const oldest = await bench.put(size, { seed: 1 });
      await bench.put(size, { seed: 2 });
      const items = [1, 3].map((seed) => ({ content: someBytes(size, seed), source }));
      const stored = await bench.store.storeMany(items);
      assert.deepEqual(await listAll(bench.store), [oldest, ...stored]);
    },
  },
  {
    name: "eviction from a session leaves the handles of artifacts of the same batch",
    needs: "limits",
    limits: (of) => ({ maxSessionBytes: 2 * of(size), whenFull: "evict" }),
    async check(bench) {
      const oldest = await bench.put(size, { seed: 1, sessionId: "s1" });
      await bench.put(size, { seed: 2, sessionId: "s1" });
      const stored = await bench.store.storeMany([
        { content: someBytes(size, 1), source, sessionId: "s2" },
        { content: someBytes(size, 3), source, sessionId: "s1" },
      ]);
      assert.deepEqual(await listAll(bench.store), [oldest, ...stored]);
    },
  },
  {
    name: "a put that adds nothing to a sum is taken where the store was opened with a limit below it",
    needs: ["limits", "reopen"],
    async check(bench) {
      const put = (on: Bench, seed: number, sessionId?: string): Promise<ArtifactHandle> =>
        on.put(size, sessionId === undefined ? { seed } : { seed, sessionId });
      const held = [
        await put(bench, 1, "s1"),
        await put(bench, 2, "s1"),
        await put(bench, 3, "s2"),
      ];
      const limits = {
        maxStoreBytes: 2 * bench.storedBytes(size),
        maxSessionBytes: bench.storedBytes(size),
      };
      const rejecting = await bench.reopen(limits);
      held.push(await put(rejecting, 1, "s1"), await put(rejecting, 1));
      await rejectsWith(ArtifactStoreError, "limit_exceeded", () => put(rejecting, 3, "s1"));
      await rejectsWith(ArtifactStoreError, "limit_exceeded", () => put(rejecting, 4));
      assert.deepEqual(await listAll(rejecting.store), held);
      const evicting = await rejecting.reopen({ ...limits, whenFull: "evict" });
      held.push(await put(evicting, 2, "s1"), await put(evicting, 2));
      assert.deepEqual(await listAll(evicting.store), held);
      // Only the session's sum grows here.
      const last = await put(evicting, 3, "s1");
      const left = [...held.filter(({ sessionId }) => sessionId !== "s1"), last];
      assert.deepEqual(await listAll(evicting.store), left);
      await evicting.store.close();
    },
  },
];
