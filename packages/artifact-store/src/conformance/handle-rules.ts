import assert from "node:assert/strict";
import type { ArtifactHandle } from "../artifact-store.ts";
import { listAll, someBytes, type Bench, type Rule } from "./bench.ts";

const source = "tool:test";
const idsOf = (handles: readonly { handleId: string }[]): string[] =>
  handles.map(({ handleId }) => handleId);

async function putMany(bench: Bench, count: number, firstSeed = 0): Promise<string[]> {
  const ids: string[] = [];
  for (let index = 0; index < count; index += 1) {
    const { handleId } = await bench.put(20, {
      seed: firstSeed + index,
      sessionId: `session-${index % 2}`,
      source: `tool:${index % 3}`,
    });
    ids.push(handleId);
  }
  return ids;
}

/** Listing and deleting references. */
export const handleRules: Rule[] = [
  {
    name: "pages list every handle once, oldest first",
    async check(bench) {
      const stored = await putMany(bench, 11);
      for (const limit of [1, 3, 11, 12])
        assert.deepEqual(idsOf(await listAll(bench.store, { limit })), stored);
      const page = await bench.store.listHandles({ limit: 4 });
      assert.deepEqual(idsOf(page.handles), stored.slice(0, 4));
    },
  },
  {
    name: "the last page has no cursor, and a page has 100 handles by default",
    async check(bench) {
      const items = Array.from({ length: 101 }, (_, index) => ({
        content: someBytes(8, index),
        source,
      }));
      await bench.store.storeMany(items);
      const first = await bench.store.listHandles();
      assert.equal(first.handles.length, 100);
      assert.ok(first.cursor !== undefined);
      const last = await bench.store.listHandles({ cursor: first.cursor });
      assert.equal(last.handles.length, 1);
      assert.ok(!("cursor" in last));
      assert.ok(!("cursor" in (await bench.store.listHandles({ limit: 101 }))));
    },
  },
  {
    name: "a listing is filtered by session",
    async check(bench) {
      await putMany(bench, 7);
      const listed = await listAll(bench.store, { sessionId: "session-1", limit: 2 });
      assert.deepEqual(
        listed.map((handle) => handle.sessionId),
        ["session-1", "session-1", "session-1"],
      );
      assert.deepEqual(await listAll(bench.store, { sessionId: "session" }), []);
    },
  },
  {
    name: "a listing is filtered by source",
    async check(bench) {
      await putMany(bench, 7);
      const listed = await listAll(bench.store, { source: "tool:0", limit: 2 });
      assert.deepEqual(
        listed.map((handle) => handle.source),
        ["tool:0", "tool:0", "tool:0"],
      );
      assert.deepEqual(await listAll(bench.store, { source: "tool:" }), []);
    },
  },
  {
    name: "both filters of a listing hold together",
    async check(bench) {
      await putMany(bench, 12);
      const listed = await listAll(bench.store, { source: "tool:0", sessionId: "session-1" });
      assert.equal(listed.length, 2);
      assert.ok(
        listed.every((handle) => handle.source === "tool:0" && handle.sessionId === "session-1"),
      );
    },
  },
  {
    name: "handles that come or go between pages neither repeat nor hide others",
    async check(bench) {
      const stored = await putMany(bench, 9);
      const all = await listAll(bench.store);
      const first = await bench.store.listHandles({ limit: 3 });
      await putMany(bench, 3, 100);
      for (const handle of [all[0], all[2], all[4]]) {
        if (handle !== undefined)
          await bench.store.delete(handle.artifactId, { handleId: handle.handleId });
      }
      assert.ok(first.cursor !== undefined);
      const rest = idsOf((await bench.store.listHandles({ cursor: first.cursor })).handles);
      const expected = stored.filter((_, index) => index === 3 || index > 4);
      assert.deepEqual(rest.slice(0, expected.length), expected);
      assert.equal(
        new Set([...idsOf(first.handles), ...rest]).size,
        first.handles.length + rest.length,
      );
    },
  },
  {
    name: "one handle id under two artifacts is two handles, in listings by id and then by artifact",
    async check({ store }) {
      const stored: ArtifactHandle[] = [];
      // "-" sorts before letters, so a key that ends the id with a higher character would list these in another order.
      for (const handleId of ["twin-a", "twin"]) {
        const item = {
          source,
          sessionId: "s",
          imported: { handleId, createdAt: 1, summary: handleId },
        };
        stored.push(await store.store("a", item));
        stored.push(
          ...(await store.storeMany(["b", "c"].map((content) => ({ ...item, content })))),
        );
      }
      const key = ({ handleId, artifactId }: ArtifactHandle): string => `${handleId} ${artifactId}`;
      stored.sort((one, other) => (key(one) < key(other) ? -1 : 1));
      for (const limit of [1, 2, 4, 6]) {
        for (const filter of [{}, { sessionId: "s" }, { source }]) {
          assert.deepEqual(await listAll(store, { limit, ...filter }), stored);
        }
      }
      const [first, ...others] = stored;
      assert.ok(first !== undefined);
      assert.equal(await store.delete(first.artifactId, { handleId: first.handleId }), true);
      assert.deepEqual(await listAll(store), others);
      assert.deepEqual(
        await store.getHandles(first.artifactId),
        others.filter(({ artifactId }) => artifactId === first.artifactId),
      );
    },
  },
  {
    name: "importing a handle that is there gives it as it is, whatever else the call says",
    async check({ store }) {
      const imported = { handleId: "known", createdAt: 1, summary: "First." };
      const first = await store.store("a", { source, sessionId: "s", imported });
      const other = {
        source: "tool:other",
        mimeType: "text/html",
        imported: { ...imported, summary: "Second." },
      };
      assert.deepEqual(await store.store("a", other), first);
      const twin = { ...imported, handleId: "twin" };
      const pair = await store.storeMany([
        { content: "b", source, imported: twin },
        { content: "b", source: "tool:other", imported: twin },
      ]);
      assert.deepEqual(pair[1], pair[0]);
      assert.deepEqual((await store.listHandles()).handles, [first, pair[0]]);
    },
  },
  {
    name: "deleting by handle removes that reference alone",
    async check({ store }) {
      const [first, second] = await store.storeMany([
        { content: "a", source },
        { content: "a", source },
      ]);
      assert.ok(first && second);
      assert.equal(await store.delete(first.artifactId, { handleId: first.handleId }), true);
      assert.equal(await store.delete(first.artifactId, { handleId: first.handleId }), false);
      assert.deepEqual(await store.getHandles(first.artifactId), [second]);
    },
  },
  {
    name: "a handle is deleted only under its own artifact",
    async check({ store }) {
      const first = await store.store("a", { source });
      const other = await store.store("b", { source });
      assert.equal(await store.delete(other.artifactId, { handleId: first.handleId }), false);
      assert.deepEqual(await store.getHandles(first.artifactId), [first]);
    },
  },
  {
    name: "deleting by session removes that session's references alone",
    async check({ store }) {
      const first = await store.store("a", { source, sessionId: "s1" });
      await store.store("a", { source: "tool:other", sessionId: "s1" });
      const second = await store.store("a", { source, sessionId: "s2" });
      const third = await store.store("a", { source });
      assert.equal(await store.delete(first.artifactId, { sessionId: "s1" }), true);
      assert.equal(await store.delete(first.artifactId, { sessionId: "s1" }), false);
      assert.deepEqual(await store.getHandles(first.artifactId), [second, third]);
    },
  },
  {
    name: "deleting by handle and session needs both to match",
    async check({ store }) {
      const handle = await store.store("a", { source, sessionId: "s1" });
      const { artifactId, handleId } = handle;
      assert.equal(await store.delete(artifactId, { handleId, sessionId: "s2" }), false);
      assert.deepEqual(await store.getHandles(artifactId), [handle]);
      assert.equal(await store.delete(artifactId, { handleId, sessionId: "s1" }), true);
    },
  },
  {
    name: "deleting without a match removes every reference of that artifact and of no other",
    async check({ store }) {
      const handle = await store.store("a", { source, sessionId: "s1" });
      await store.store("a", { source });
      const other = await store.store("b", { source, sessionId: "s1" });
      assert.equal(await store.delete(handle.artifactId), true);
      assert.deepEqual(await store.getHandles(handle.artifactId), []);
      assert.deepEqual(await store.listHandles(), { handles: [other] });
    },
  },
  {
    name: "an artifact without references is not there, until it is stored again",
    async check(bench) {
      const content = someBytes(100, 20);
      const { artifactId } = await bench.store.store(content, { source });
      await bench.store.delete(artifactId);
      assert.equal(await bench.store.exists(artifactId), false);
      assert.equal(await bench.store.retrieve(artifactId), undefined);
      assert.equal(await bench.store.retrieveStream(artifactId), undefined);
      const again = await bench.store.store(content, { source });
      assert.deepEqual(await bench.store.getHandles(artifactId), [again]);
      await bench.holds(artifactId, content);
    },
  },
];
