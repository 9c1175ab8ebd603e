import assert from "node:assert/strict";
import { inPieces, listAll, mebibyte, refuses, someBytes, type Rule } from "./bench.ts";
import { isLeft, play, playBytes, type Play, ruleOf } from "./play.ts";

const source = "tool:test";
const plays: Play[] = [
  [
    "a put above the limit of the store is refused and changes nothing",
    "1 2 3!",
    "0 1",
    { store: 2 },
  ],
  ["bytes that are there already take no room", "1@a 1@a 1@b", "0 1 2", { store: 1, session: 1 }],
  [
    "the limit of the store counts unreferenced bytes until they are collected",
    "1 -1 2! gc:1 2",
    "1",
    { store: 1 },
  ],
  [
    "a put above the limit of its session is refuses, and other sessions are not concerned",
    "1@a 2@a 3@a! 3@b 4 5*3 -2 3@a",
    "0 2 3 4 5",
    { session: 2 },
  ],
  ["a batch above a limit is refused as a whole", "[1 2 3]!", "", { store: 2 }],
  [
    "eviction from the store takes the oldest handles and frees their bytes at once",
    "1 2 3 4 5 gc:",
    "2 3 4",
    { store: 3, evict: true },
  ],
  [
    "eviction frees unreferenced bytes before it takes a handle",
    "1 2 -2 3",
    "0 2",
    { store: 2, evict: true },
  ],
  [
    "eviction from a session leaves other sessions and the bytes they share",
    "1@a 1@b 2@a 3@a",
    "1 2 3",
    { session: 2, evict: true },
  ],
  [
    "what is larger than a limit by itself is refused under eviction too, and evicts nothing",
    "1 2 3*3! [4 5 6]!",
    "0 1",
    { store: 2, evict: true },
  ],
  [
    "eviction from the store leaves the handles of artifacts of the same batch",
    "1 2 [1 3]",
    "0 2 3",
    { store: 2, evict: true },
  ],
  [
    "eviction from a session leaves the handles of artifacts of the same batch",
    "1@a 2@a [1@b 3@a]",
    "0 2 3",
    { session: 2, evict: true },
  ],
];

/** Limits, checked in the transaction of the put. */
export const limitRules: Rule[] = [
  ...plays.map(ruleOf),
  {
    name: "an artifact above the limit of one is refuses, as bytes and as a stream",
    needs: "limits",
    limits: (of) => ({ maxArtifactBytes: of(playBytes) }),
    async check(bench) {
      const above = someBytes(playBytes + 1, 50);
      const endless = async function* (): AsyncGenerator<Uint8Array, void> {
        for (;;) yield new Uint8Array(mebibyte);
      };
      for (const content of [above, inPieces(above, 100), endless()])
        await refuses("limit_exceeded", () => bench.store.store(content, { source }));
      await isLeft(bench, await play(bench, "1"));
    },
  },
  {
    name: "concurrent puts never pass a limit together",
    needs: "limits",
    limits: (of) => ({ maxStoreBytes: 3 * of(playBytes), maxSessionBytes: 3 * of(playBytes) }),
    async check(bench) {
      const puts = Array.from({ length: 10 }, (_, seed) => play(bench, `${seed}@s`));
      const results = await Promise.allSettled(puts);
      const failed = results.filter((result) => result.status === "rejected");
      for (const { reason } of failed)
        await refuses("limit_exceeded", () => Promise.reject(reason));
      assert.equal(failed.length, 7);
      assert.equal((await listAll(bench.store)).length, 3);
    },
  },
  {
    name: "a put that adds nothing to a sum is taken where the store was opened with a limit below it",
    needs: ["limits", "reopen"],
    async check(bench) {
      const bytes = bench.storedBytes(playBytes);
      const limits = { maxStoreBytes: 2 * bytes, maxSessionBytes: bytes };
      const held = await play(bench, "1@a 2@a 3@b");
      const rejecting = await bench.reopen(limits);
      held.push(...(await play(rejecting, "1@a 1 3@a! 4!")));
      await isLeft(rejecting, held);
      const evicting = await rejecting.reopen({ ...limits, whenFull: "evict" });
      held.push(...(await play(evicting, "2@a 2")));
      await isLeft(evicting, held);
      // Only the session's sum grows here.
      const last = await play(evicting, "3@a");
      await isLeft(evicting, [...held.filter(({ sessionId }) => sessionId !== "a"), ...last]);
      await evicting.store.close();
    },
  },
];
