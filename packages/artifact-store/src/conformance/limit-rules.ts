import assert from "node:assert/strict";
import { inPieces, listAll, mebibyte, expectError, someBytes, type Rule } from "./bench.ts";
import { expectHandles, ruleOf, runSteps, type Scenario, scenarioBytes } from "./scenario.ts";

const source = "tool:test";
const scenarios: Scenario[] = [
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
    "a put above the limit of its session is refused, and other sessions are not concerned",
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

/** Rules for limits, which are checked in the put's transaction. */
export const limitRules: Rule[] = [
  ...scenarios.map(ruleOf),
  {
    name: "an artifact above the limit of one is refused, as bytes and as a stream",
    needs: "limits",
    limits: (of) => ({ maxArtifactBytes: of(scenarioBytes) }),
    async check(bench) {
      const above = someBytes(scenarioBytes + 1, 50);
      const endless = async function* (): AsyncGenerator<Uint8Array, void> {
        for (;;) yield new Uint8Array(mebibyte);
      };
      for (const content of [above, inPieces(above, 100), endless()])
        await expectError("limit_exceeded", () => bench.store.store(content, { source }));
      await expectHandles(bench, await runSteps(bench, "1"));
    },
  },
  {
    name: "concurrent puts never pass a limit together",
    needs: "limits",
    limits: (of) => ({
      maxStoreBytes: 3 * of(scenarioBytes),
      maxSessionBytes: 3 * of(scenarioBytes),
    }),
    async check(bench) {
      const puts = Array.from({ length: 10 }, (_, seed) => runSteps(bench, `${seed}@s`));
      const results = await Promise.allSettled(puts);
      const failed = results.filter((result) => result.status === "rejected");
      for (const { reason } of failed)
        await expectError("limit_exceeded", () => Promise.reject(reason));
      assert.equal(failed.length, 7);
      assert.equal((await listAll(bench.store)).length, 3);
    },
  },
  {
    name: "a put that adds nothing to a sum is taken where the store was opened with a limit below it",
    needs: ["limits", "reopen"],
    async check(bench) {
      const bytes = bench.storedBytes(scenarioBytes);
      const limits = { maxStoreBytes: 2 * bytes, maxSessionBytes: bytes };
      const held = await runSteps(bench, "1@a 2@a 3@b");
      const rejecting = await bench.reopen(limits);
      held.push(...(await runSteps(rejecting, "1@a 1 3@a! 4!")));
      await expectHandles(rejecting, held);
      const evicting = await rejecting.reopen({ ...limits, whenFull: "evict" });
      held.push(...(await runSteps(evicting, "2@a 2")));
      await expectHandles(evicting, held);
      // Only the session's sum grows here.
      const last = await runSteps(evicting, "3@a");
      await expectHandles(evicting, [
        ...held.filter(({ sessionId }) => sessionId !== "a"),
        ...last,
      ]);
      await evicting.store.close();
    },
  },
];
