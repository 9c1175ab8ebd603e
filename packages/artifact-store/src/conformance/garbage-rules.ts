import assert from "node:assert/strict";
import {
  type Bench,
  assertBytes,
  drain,
  mebibyte,
  expectError,
  type Rule,
  rulesOf,
  someBytes,
} from "./bench.ts";
import { ruleOf, type Scenario } from "./scenario.ts";

const source = "tool:test";
const scenarios: Scenario[] = [
  ["a collection frees what has no reference, and says what", "1 2 3 -2 -3 gc:23 gc:", "0"],
  ["a collection spares an artifact that another handle still names", "1@a 1@b -1@a gc:", "1"],
  [
    "the grace age counts from the loss of the last reference",
    "1 +10000 -1 +999 gc1000: +1 gc1000:1",
    "",
  ],
  ["a dry run says what would go and removes nothing", "1 -1 dry:1 gc:1", ""],
  ["bytes that are stored again are not collected", "1 -1 +5000 1 gc:", "1"],
];

/** Rules for freeing blobs without references. */
export const garbageRules: Rule[] = [
  ...scenarios.map(ruleOf),
  ...rulesOf({
    async "a collection of named artifacts frees no others, and none that is in use"({ store }) {
      const ids: string[] = [];
      for (const content of ["a", "b", "c"])
        ids.push((await store.store(content, { source })).artifactId);
      const [first = "", second = "", used = ""] = ids;
      for (const artifactId of [first, second]) await store.delete(artifactId);
      for (const [artifactIds, expected] of [
        [[first, used, "0".repeat(64)], first],
        [[]],
        [undefined, second],
      ] as const) {
        const freed = await store.collectGarbage({ graceMs: 0, artifactIds });
        assert.deepEqual(freed.artifactIds, expected === undefined ? [] : [expected]);
      }
      assert.equal(await store.exists(used), true);
    },
    async "a collection that meets a put of the same bytes loses nothing"(bench) {
      const contents = [someBytes(100, 60), someBytes(mebibyte + 1, 61)];
      for (let turn = 0; turn < 12; turn += 1) {
        for (const content of turn < 4 ? contents : contents.slice(0, 1)) {
          const { artifactId } = await bench.store.store(content, { source });
          await bench.store.delete(artifactId);
          const collections = [0, 1].map(() => bench.store.collectGarbage({ graceMs: 0 }));
          const puts = [0, 1].map(() => bench.store.store(content, { source }));
          await Promise.all([...puts, ...collections]);
          await bench.expectContent(artifactId, content);
          await bench.store.delete(artifactId);
        }
      }
    },
    "a reader whose artifact is collected gets all of its bytes, or an error, never fewer":
      readWhileCollected,
  }),
];

async function readWhileCollected({ store }: Bench): Promise<void> {
  const content = someBytes(3 * mebibyte + 1, 62);
  const { artifactId } = await store.store(content, { source });
  const stream = (await store.retrieveStream(artifactId)) ?? [];
  const interrupted = async function* (): AsyncGenerator<Uint8Array, void> {
    let isFirst = true;
    for await (const piece of stream) {
      yield piece;
      if (isFirst) {
        await store.delete(artifactId);
        await store.collectGarbage({ graceMs: 0 });
      }
      isFirst = false;
    }
  };
  const [outcome] = await Promise.allSettled([drain(interrupted())]);
  if (outcome.status === "fulfilled") assertBytes(outcome.value, content);
  else await expectError("unavailable", () => Promise.reject(outcome.reason));
  assert.equal(await store.retrieve(artifactId), undefined);
}
