import { CatalogError } from "../catalog-error.ts";
import type { CatalogStore } from "../store/catalog-store.ts";
import { type KitRule, rejectsWith } from "@ccl/core/conformance";
import assert from "node:assert/strict";

import { changedAfter, expectSame, listedIds, wholeHistory } from "./expectations.ts";
import { sampleEntry, sampleWrite } from "./sample-records.ts";

/** By code units: capitals, then small letters, then what lies beyond Latin, and astral before U+FFxx. */
const sorted = ["A", "B", "_", "a", "a.b", "a/b", "b", "é", "я", "\u{1F600}", "\uFF5E"];

/** Rules of listings, changes, histories and vectors. */
export const listingRules: readonly KitRule<CatalogStore>[] = [
  {
    name: "a listing goes by code units",
    async check(store) {
      await store.write(sorted.toReversed().map((id) => sampleWrite(id)));
      assert.deepEqual(await listedIds(store), sorted);
    },
  },
  {
    name: "pages hold as many records as asked for, and the last has no cursor",
    async check(store) {
      await store.write(sorted.map((id) => sampleWrite(id)));
      assert.deepEqual(await listedIds(store, 1), sorted);
      assert.deepEqual(await listedIds(store, 4), sorted);
      const page = await store.list({ limit: 4 });
      assert.equal(page.resources.length, 4);
      const whole = await store.list({ limit: sorted.length });
      assert.equal(whole.resources.length, sorted.length);
      assert.equal(whole.cursor, undefined);
    },
  },
  {
    name: "a cursor goes on where its page ended, though records came and went",
    async check(store) {
      await store.write(["b", "d", "f"].map((id) => sampleWrite(id)));
      const { cursor = "" } = await store.list({ limit: 2 });
      const version = (await store.read(["d"]))[0]?.version ?? 0;
      await store.write([
        { id: "d", record: undefined, expectedVersion: version },
        sampleWrite("a"),
        sampleWrite("a2"),
        sampleWrite("e"),
      ]);
      const rest = await store.list({ cursor });
      assert.deepEqual(
        rest.resources.map(({ record }) => record.id),
        ["e", "f"],
      );
    },
  },
  {
    name: "changes come oldest first, each id once, removals included",
    async check(store) {
      await store.write([sampleWrite("a"), sampleWrite("b"), sampleWrite("c")]);
      const [a, b] = await store.read(["a", "b"]);
      const middle = await store.write([
        { id: "b", record: undefined, expectedVersion: b?.version ?? 0 },
      ]);
      const last = await store.write([sampleWrite("a", a?.version ?? 0, 2)]);
      const changes = await changedAfter(store, 0);
      assert.deepEqual(
        changes.map(({ id, isRemoved }) => [id, isRemoved]),
        [
          ["c", false],
          ["b", true],
          ["a", false],
        ],
      );
      assert.deepEqual(
        changes.slice(1).map(({ version }) => version),
        [middle, last],
      );
      assert.deepEqual(
        (await changedAfter(store, middle)).map(({ id }) => id),
        ["a"],
      );
      assert.deepEqual(await changedAfter(store, last), []);
    },
  },
  {
    name: "changes come in pages that leave nothing out",
    async check(store) {
      const ids = Array.from({ length: 25 }, (_, at) => `res:${at}`);
      for (const id of ids) await store.write([sampleWrite(id)]);
      const page = await store.changesAfter(0, { limit: 10 });
      assert.equal(page.changes.length, 10);
      assert.equal(page.hasMore, true);
      assert.equal(page.after, page.changes.at(-1)?.version);
      assert.deepEqual(
        (await changedAfter(store, 0, 10)).map(({ id }) => id),
        ids,
      );
      const exact = await store.changesAfter(0, { limit: 25 });
      assert.equal(exact.hasMore, false);
    },
  },
  {
    name: "a history goes newest first, in pages, and stands still while entries are added",
    async check(store) {
      let version = 0;
      for (let rev = 1; rev <= 7; rev++) {
        await store.write([sampleWrite("a", version, rev)]);
        version = (await store.read(["a"]))[0]?.version ?? 0;
      }
      const revs = (await wholeHistory(store, "a", 3)).map(({ rev }) => rev);
      assert.deepEqual(revs, [7, 6, 5, 4, 3, 2, 1]);
      const page = await store.history("a", { limit: 2 });
      expectSame(page.entries[0], sampleEntry("a", 7), "the newest entry");
      await store.write([sampleWrite("a", version, 8)]);
      const next = await store.history("a", { limit: 2, cursor: page.cursor ?? "" });
      assert.deepEqual(
        next.entries.map(({ rev }) => rev),
        [5, 4],
      );
      assert.deepEqual(await store.history("unknown"), { entries: [] });
    },
  },
  {
    name: "limits, cursors and versions out of bounds are refused",
    async check(store) {
      await store.write([sampleWrite("a")]);
      for (const limit of [0, -1, 1.5, 1_001, Number.NaN]) {
        await rejectsWith(CatalogError, "invalid_options", () => store.list({ limit }));
        await rejectsWith(CatalogError, "invalid_options", () => store.history("a", { limit }));
        await rejectsWith(CatalogError, "invalid_options", () => store.changesAfter(0, { limit }));
      }
      for (const version of [-1, 0.5, Number.NaN]) {
        await rejectsWith(CatalogError, "invalid_options", () => store.changesAfter(version));
      }
      await rejectsWith(CatalogError, "invalid_options", () =>
        store.history("a", { cursor: "1; drop" }),
      );
    },
  },
  {
    name: "vectors come back to the bit, apart for each embedder",
    async check(store) {
      const vector = Float32Array.from([0.1, -0, 1e-40, 3.4e38]);
      await store.saveVectors("m1", [
        { hash: "h1", vector },
        { hash: "h2", vector: Float32Array.from([1, 2, 3, 4]) },
      ]);
      await store.saveVectors("m2", [{ hash: "h1", vector: Float32Array.from([9]) }]);
      const found = await store.loadVectors("m1", ["h2", "h1", "h3"]);
      const byHash = new Map(found.map((entry) => [entry.hash, [...entry.vector]]));
      assert.deepEqual([...byHash.keys()].sort(), ["h1", "h2"]);
      assert.deepEqual(byHash.get("h1"), [...vector]);
      assert.deepEqual(await store.loadVectors("m3", ["h1"]), []);
      assert.deepEqual(await store.loadVectors("m1", []), []);
      await store.saveVectors("m1", [{ hash: "h1", vector }]);
      assert.equal((await store.loadVectors("m1", ["h1"])).length, 1);
    },
  },
];
