import assert from "node:assert/strict";

import { sleep } from "@ccl/core/async";

import type { ArtifactStore, StoreItem } from "../artifact-store.ts";
import { type Bench, listAll, mebibyte, type Rule, rulesOf, someBytes } from "./bench.ts";

const source = "tool:test";

function batch(seed: number): StoreItem[] {
  const sizes = [10, mebibyte + 1, 0, 300, 2_000];
  return sizes.map((size, index) => ({
    content: size === 0 ? `batch ${seed}` : someBytes(size, seed * 10 + index),
    source: `tool:${seed}`,
  }));
}

/** Returns which artifacts of a batch a reader finds. */
async function found(store: ArtifactStore, ids: readonly string[]): Promise<boolean[]> {
  const answers: boolean[] = [];
  for (const id of ids) answers.push(await store.exists(id));
  return answers;
}

async function idsOf(bench: Bench, items: readonly StoreItem[]): Promise<string[]> {
  const ids: string[] = [];
  for (const item of items) ids.push(await bench.idOf(bytesOf(item)));
  return ids;
}

/** Asserts that every listed artifact can be read. */
async function expectReadable(store: ArtifactStore): Promise<void> {
  for (const handle of await listAll(store)) {
    const bytes = await store.retrieve(handle.artifactId);
    assert.equal(bytes?.length, handle.sizeBytes, "a listed artifact can't be read");
    const handles = await store.getHandles(handle.artifactId);
    assert.ok(
      handles.some(({ handleId }) => handleId === handle.handleId),
      "a listed handle is none of its artifact's",
    );
  }
}

/** A change that a crash interrupts, and what must hold afterwards. */
interface Change {
  act(open: Bench): Promise<unknown>;
  look(open: Bench, isDone: boolean): Promise<void>;
}

/** Interrupts a change after 0, 1, 2, ... writes and checks the store after a restart, until the change completes. */
async function cutAtEachWrite(
  bench: Bench,
  prepare: (open: Bench, writes: number) => Change | Promise<Change>,
): Promise<Bench> {
  let open = bench;
  for (let writes = 0, isDone = false; !isDone; writes += 1) {
    assert.ok(writes < 1_000, "the change takes more than a thousand writes");
    const { act, look } = await prepare(open, writes);
    await open.cutOff(writes);
    isDone = await act(open).then(
      () => true,
      () => false,
    );
    open = await open.reopen();
    await expectReadable(open.store);
    await look(open, isDone);
  }
  return open;
}

/** Rules for what readers see during a commit and after a crash. */
export const tornCommitRules: Rule[] = [
  ...rulesOf({
    async "readers during a batch see all of it or nothing"(bench) {
      for (let round = 0; round < 2; round += 1) {
        const items = batch(round);
        const ids = await idsOf(bench, items);
        const state = { isStored: false };
        const storing = bench.store.storeMany(items).finally(() => (state.isStored = true));
        // In both orders, because a later read may find what an earlier one could not.
        const order = round % 2 === 0 ? ids : ids.toReversed();
        try {
          for (let looks = 0; !state.isStored; looks += 1) {
            const answers = await found(bench.store, order);
            const first = answers.indexOf(true);
            assert.ok(
              first < 0 || answers.slice(first).every(Boolean),
              "one artifact of a batch was there, and another one after it was not",
            );
            await expectReadable(bench.store);
            // Hashing may wait for the event loop, which an in-memory store would otherwise block. With timers this
            // short, kits that run in parallel would also starve each other.
            await sleep(looks);
          }
        } finally {
          await storing;
        }
      }
    },
  }),
  ...rulesOf(
    {
      async "a batch that a crash cuts off at any write is there whole or not at all"(bench) {
        await bench.store.store(someBytes(7, 7), { source });
        const left = await cutAtEachWrite(bench, (_, writes) => {
          const items = batch(writes + 1);
          return {
            act: ({ store }) => store.storeMany(items),
            async look(open, isDone) {
              const answers = await found(open.store, await idsOf(open, items));
              assert.equal(
                new Set(answers).size,
                1,
                `after ${writes} writes a part of the batch is there`,
              );
              assert.ok(answers[0] || !isDone, "a batch that was stored is gone");
              await open.store.storeMany(items);
              for (const item of items) await open.store.delete(await open.idOf(bytesOf(item)));
              await open.store.collectGarbage({ graceMs: 0 });
            },
          };
        });
        assert.equal((await listAll(left.store)).length, 1);
        await left.store.close();
      },
      async "what is removed while a crash cuts it off stays readable or goes"(bench) {
        const left = await cutAtEachWrite(bench, async ({ store }, writes) => {
          const content = someBytes(mebibyte + 5, writes);
          const { artifactId } = await store.store(content, { source });
          await store.store(content, { source: "tool:other" });
          return {
            async act({ store }) {
              await store.delete(artifactId);
              await store.collectGarbage({ graceMs: 0 });
            },
            async look({ store }) {
              assert.deepEqual((await store.verify()).missing, []);
            },
          };
        });
        await left.store.close();
      },
    },
    "cutOff",
  ),
];

function bytesOf({ content }: StoreItem): Uint8Array | string {
  assert.ok(typeof content === "string" || content instanceof Uint8Array);
  return content;
}
