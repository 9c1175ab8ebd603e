import assert from "node:assert/strict";
import type { ArtifactHandle } from "../artifact-store.ts";
import { listAll, type Rule, rulesOf, someBytes } from "./bench.ts";
import { ruleOf, runSteps, type Scenario } from "./scenario.ts";

const source = "tool:test";
const idsOf = (handles: readonly { handleId: string }[]): string[] =>
  handles.map(({ handleId }) => handleId);

const puts = "0@a:x 1@b:y 2@a:z 3@b:x 4@a:y 5@b:z 6@a:x 7@b:y 8@a:z";
const scenarios: Scenario[] = [
  ["deleting by handle removes only that reference", "[1 1] -1#0 -1#0?", "1"],
  ["a handle is deleted only under its own artifact", "1 2 -2#0?", "0 1"],
  [
    "deleting by session removes that session's references alone",
    "1@a 1@a:x 1@b 1 -1@a -1@a?",
    "2 3",
  ],
  ["deleting by handle and session needs both to match", "1@a -1@b#0? -1@a#0", ""],
  [
    "deleting without a match removes every reference of that artifact and of no other",
    "1@a 1 2@a -1",
    "2",
  ],
  ["an artifact without references is absent until it is stored again", "1 -1 1", "1"],
];

/** Rules for listing and deleting references. */
export const handleRules: Rule[] = [
  ...scenarios.map(ruleOf),
  ...rulesOf({
    async "pages list every handle once, oldest first"(bench) {
      const stored = await runSteps(bench, puts);
      for (const limit of [1, 3, 9, 10])
        assert.deepEqual(await listAll(bench.store, { limit }), stored);
      const { handles } = await bench.store.listHandles({ limit: 4 });
      assert.deepEqual(handles, stored.slice(0, 4));
    },
    async "the last page has no cursor, and a page has 100 handles by default"({ store }) {
      const items = Array.from({ length: 101 }, (_, index) => ({
        content: someBytes(8, index),
        source,
      }));
      await store.storeMany(items);
      const { handles, cursor } = await store.listHandles();
      assert.equal(handles.length, 100);
      assert.ok(cursor !== undefined);
      const last = await store.listHandles({ cursor });
      assert.equal(last.handles.length, 1);
      assert.ok(!("cursor" in last));
      assert.ok(!("cursor" in (await store.listHandles({ limit: 101 }))));
    },
    async "a listing is filtered by session, by source and by both"(bench) {
      const stored = await runSteps(bench, puts);
      for (const [sessionId, source, ...expected] of [
        ["b", undefined, 1, 3, 5, 7],
        ["", "x", 0, 3, 6],
        ["b", "x", 3],
        ["c"],
        ["", ""],
      ] as const) {
        const filter = {
          limit: 2,
          sessionId: sessionId || undefined,
          source: source === undefined ? undefined : `tool:${source}`,
        };
        const listed = await listAll(bench.store, filter);
        assert.deepEqual(
          listed,
          expected.map((index) => stored[index]),
        );
      }
    },
    async "handles that come or go between pages neither repeat nor hide others"(bench) {
      const stored = await runSteps(bench, puts);
      const first = await bench.store.listHandles({ limit: 3 });
      await runSteps(bench, "0 1 2 -4");
      for (const index of [0, 2]) {
        const { artifactId = "", handleId } = stored[index] ?? {};
        await bench.store.delete(artifactId, { handleId });
      }
      const rest = idsOf((await bench.store.listHandles({ cursor: first.cursor })).handles);
      const expected = idsOf(stored.filter((_, index) => index === 3 || index > 4));
      assert.deepEqual(rest.slice(0, expected.length), expected);
      const seen = [...idsOf(first.handles), ...rest];
      assert.equal(new Set(seen).size, seen.length);
    },
    async "one handle id under two artifacts is two handles, in listings by id and then by artifact"({
      store,
    }) {
      const stored: ArtifactHandle[] = [];
      // "-" sorts before letters, so a key that ends the id with a higher character would list these in another order.
      for (const handleId of ["twin-a", "twin"]) {
        const imported = { handleId, createdAt: 1, summary: handleId };
        const item = { source, sessionId: "s", imported };
        stored.push(await store.store("a", item));
        const others = ["b", "c"].map((content) => ({ ...item, content }));
        stored.push(...(await store.storeMany(others)));
      }
      const key = ({ handleId, artifactId }: ArtifactHandle): string => `${handleId} ${artifactId}`;
      stored.sort((one, other) => (key(one) < key(other) ? -1 : 1));
      for (const limit of [1, 2, 4, 6]) {
        for (const filter of [{}, { sessionId: "s" }, { source }])
          assert.deepEqual(await listAll(store, { limit, ...filter }), stored);
      }
      const [first, ...others] = stored;
      assert.ok(first !== undefined);
      const { artifactId, handleId } = first;
      assert.equal(await store.delete(artifactId, { handleId }), true);
      assert.deepEqual(await listAll(store), others);
      const own = others.filter((each) => each.artifactId === artifactId);
      assert.deepEqual(await store.getHandles(artifactId), own);
    },
    async "importing an existing handle returns it unchanged and ignores the other options"({
      store,
    }) {
      const imported = { handleId: "known", createdAt: 1, summary: "First." };
      const first = await store.store("a", { source, sessionId: "s", imported });
      const other = {
        source: "tool:other",
        mimeType: "text/html",
        imported: { ...imported, summary: "Second." },
      };
      assert.deepEqual(await store.store("a", other), first);
      const twin = { content: "b", source, imported: { ...imported, handleId: "twin" } };
      const [one, same] = await store.storeMany([twin, { ...twin, source: "tool:other" }]);
      assert.deepEqual(same, one);
      assert.deepEqual((await store.listHandles()).handles, [first, one]);
    },
  }),
];
