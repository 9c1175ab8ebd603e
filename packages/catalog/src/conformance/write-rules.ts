import { CatalogError } from "../catalog-error.ts";
import type { CatalogStore } from "../store/catalog-store.ts";
import { type KitRule, rejectsWith } from "@ccl/core/conformance";
import assert from "node:assert/strict";

import { expectSame, listedIds } from "./expectations.ts";
import { sampleEntry, sampleRecord, sampleWrite } from "./sample-records.ts";

/** Rules of writing and reading. */
export const writeRules: readonly KitRule<CatalogStore>[] = [
  {
    name: "records come back equal, unknown members included",
    async check(store) {
      await store.write([sampleWrite("res:a"), sampleWrite("ключ/с пробелом")]);
      const [one, two] = await store.read(["res:a", "ключ/с пробелом"]);
      expectSame(one?.record, sampleRecord("res:a"), "the first record");
      expectSame(two?.record, sampleRecord("ключ/с пробелом"), "the second record");
    },
  },
  {
    name: "read answers every id in the order asked",
    async check(store) {
      await store.write([sampleWrite("a"), sampleWrite("b")]);
      const found = await store.read(["b", "missing", "a", "b"]);
      assert.deepEqual(
        found.map((resource) => resource?.record.id),
        ["b", undefined, "a", "b"],
      );
      assert.deepEqual(await store.read([]), []);
    },
  },
  {
    name: "ids that differ in case or by a blank are different ids",
    async check(store) {
      await store.write([sampleWrite("A"), sampleWrite("a"), sampleWrite("a b")]);
      const found = await store.read(["a", "A", "a b"]);
      assert.deepEqual(
        found.map((resource) => resource?.record.id),
        ["a", "A", "a b"],
      );
    },
  },
  {
    name: "every write has a version of its own, and write gives the last one",
    async check(store) {
      const first = await store.write([sampleWrite("a"), sampleWrite("b")]);
      const [a, b] = await store.read(["a", "b"]);
      assert.ok(a !== undefined && b !== undefined && a.version >= 1, "both records are there");
      assert.notEqual(a.version, b.version);
      assert.equal(Math.max(a.version, b.version), first);
      const second = await store.write([sampleWrite("a", a.version, 2)]);
      assert.ok(second > first, "the version rises");
      assert.equal((await store.read(["a"]))[0]?.version, second);
      assert.equal((await store.read(["b"]))[0]?.version, b.version);
    },
  },
  {
    name: "no writes change nothing",
    async check(store) {
      const version = await store.write([sampleWrite("a")]);
      assert.equal(await store.write([]), version);
      assert.equal((await store.changesAfter(version)).changes.length, 0);
    },
  },
  {
    name: "a batch with one conflict writes nothing, and names the ids that conflict",
    async check(store) {
      await store.write([sampleWrite("a")]);
      const batch = [sampleWrite("new"), sampleWrite("a", 0, 2), sampleWrite("gone", 7)];
      const error = await rejectsWith(CatalogError, "conflict", () => store.write(batch));
      expectSame(
        error.details,
        { ids: ["a", "gone"] },
        "details name the ids in the order of the batch",
      );
      assert.deepEqual(await listedIds(store), ["a"]);
      expectSame((await store.read(["a"]))[0]?.record, sampleRecord("a"), "the record before");
      assert.equal((await store.history("new")).entries.length, 0);
    },
  },
  {
    name: "a version that is behind or ahead of the record's conflicts",
    async check(store) {
      await store.write([sampleWrite("a")]);
      const version = (await store.read(["a"]))[0]?.version ?? 0;
      await rejectsWith(CatalogError, "conflict", () =>
        store.write([sampleWrite("a", version + 1, 2)]),
      );
      const next = await store.write([sampleWrite("a", version, 2)]);
      await rejectsWith(CatalogError, "conflict", () =>
        store.write([sampleWrite("a", version, 3)]),
      );
      assert.equal((await store.read(["a"]))[0]?.version, next);
    },
  },
  {
    name: "a removal takes the record away and leaves its history",
    async check(store) {
      const version = await store.write([sampleWrite("a")]);
      const entry = { ...sampleEntry("a", 1), kind: "removed" as const };
      await store.write([{ id: "a", record: undefined, expectedVersion: version, entry }]);
      assert.deepEqual(await store.read(["a"]), [undefined]);
      assert.deepEqual(await listedIds(store), []);
      const { entries } = await store.history("a");
      assert.deepEqual(
        entries.map(({ kind }) => kind),
        ["removed", "registered"],
      );
      await store.write([sampleWrite("a")]);
      expectSame(
        (await store.read(["a"]))[0]?.record,
        sampleRecord("a"),
        "registered anew at version 0",
      );
    },
  },
  {
    name: "a removal of what is not there conflicts unless it expects nothing",
    async check(store) {
      await rejectsWith(CatalogError, "conflict", () =>
        store.write([{ id: "a", record: undefined, expectedVersion: 3 }]),
      );
      await store.write([{ id: "a", record: undefined, expectedVersion: 0 }]);
      assert.deepEqual(await listedIds(store), []);
    },
  },
  {
    name: "two writes to one id, or a write with another id, are refused whole",
    async check(store) {
      await rejectsWith(CatalogError, "invalid_options", () =>
        store.write([sampleWrite("b"), sampleWrite("a"), sampleWrite("a")]),
      );
      const write = { id: "a", record: sampleRecord("b"), expectedVersion: 0 };
      await rejectsWith(CatalogError, "invalid_options", () =>
        store.write([sampleWrite("c"), write]),
      );
      await rejectsWith(CatalogError, "invalid_options", () => store.write([sampleWrite("c", -1)]));
      assert.deepEqual(await listedIds(store), []);
    },
  },
  {
    name: "what a caller does to a record afterwards does not reach the store",
    async check(store) {
      const record = sampleRecord("a");
      await store.write([{ id: "a", record, expectedVersion: 0 }]);
      record.tags.push("forged");
      const [found] = await store.read(["a"]);
      try {
        found?.record.tags.push("forged");
      } catch {
        // A frozen record is as good as a copy.
      }
      expectSame(
        (await store.read(["a"]))[0]?.record,
        sampleRecord("a"),
        "the record as it was written",
      );
    },
  },
  {
    name: "a batch of a thousand is written and read at once",
    async check(store) {
      const ids = Array.from({ length: 1_000 }, (_, at) => `res:${at}`);
      await store.write(ids.map((id) => sampleWrite(id)));
      const found = await store.read(ids);
      assert.deepEqual(
        found.map((resource) => resource?.record.id),
        ids,
      );
    },
  },
];
