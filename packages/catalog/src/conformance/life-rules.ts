import { CatalogError } from "../catalog-error.ts";
import type { CatalogStore } from "../store/catalog-store.ts";
import { type KitRule, rejectsWith } from "@ccl/core/conformance";
import assert from "node:assert/strict";

import { changedAfter, expectSame, listedIds } from "./expectations.ts";
import { sampleRecord, sampleWrite } from "./sample-records.ts";

/** Rules of cancelling, closing, and of what outlives a store. */
export const lifeRules: readonly KitRule<CatalogStore>[] = [
  {
    name: "a call whose signal is aborted changes nothing",
    async check(store) {
      const signal = AbortSignal.abort();
      await rejectsWith(CatalogError, "aborted", () => store.write([sampleWrite("a")], { signal }));
      await rejectsWith(CatalogError, "aborted", () => store.read(["a"], { signal }));
      await rejectsWith(CatalogError, "aborted", () => store.list({ signal }));
      await rejectsWith(CatalogError, "aborted", () => store.changesAfter(0, { signal }));
      await rejectsWith(CatalogError, "aborted", () => store.history("a", { signal }));
      const entries = [{ hash: "h", vector: Float32Array.from([1]) }];
      await rejectsWith(CatalogError, "aborted", () => store.saveVectors("m", entries, { signal }));
      await rejectsWith(CatalogError, "aborted", () => store.loadVectors("m", ["h"], { signal }));
      assert.deepEqual(await listedIds(store), []);
      assert.deepEqual(await store.loadVectors("m", ["h"]), []);
    },
  },
  {
    name: "a closed store refuses every call, and closes twice",
    async check(store) {
      await store.write([sampleWrite("a")]);
      await store.close();
      await store.close();
      await rejectsWith(CatalogError, "closed", () => store.write([sampleWrite("b")]));
      await rejectsWith(CatalogError, "closed", () => store.read(["a"]));
      await rejectsWith(CatalogError, "closed", () => store.list());
      await rejectsWith(CatalogError, "closed", () => store.changesAfter(0));
      await rejectsWith(CatalogError, "closed", () => store.history("a"));
      await rejectsWith(CatalogError, "closed", () => store.loadVectors("m", ["h"]));
      await rejectsWith(CatalogError, "closed", () => store.saveVectors("m", []));
    },
  },
  {
    name: "of many writers at once one wins for each version",
    async check(store) {
      const version = await store.write([sampleWrite("a")]);
      const done = await Promise.allSettled(
        Array.from({ length: 8 }, (_, at) => store.write([sampleWrite("a", version, at + 2)])),
      );
      assert.equal(done.filter(({ status }) => status === "fulfilled").length, 1);
      for (const outcome of done) {
        if (outcome.status === "rejected")
          await rejectsWith(CatalogError, "conflict", () => Promise.reject(outcome.reason));
      }
      assert.equal((await store.history("a")).entries.length, 2);
    },
  },
  {
    name: "records, changes, history and vectors outlive the store",
    needs: "reopen",
    async check(store, { reopen }) {
      const version = await store.write([sampleWrite("a"), sampleWrite("b")]);
      const vector = Float32Array.from([0.5]);
      await store.saveVectors("m", [{ hash: "h", vector }]);
      const again = await reopen(store);
      try {
        expectSame((await again.read(["a"]))[0]?.record, sampleRecord("a"), "the record");
        assert.deepEqual(await listedIds(again), ["a", "b"]);
        assert.equal((await changedAfter(again, 0)).length, 2);
        assert.equal((await again.history("b")).entries.length, 1);
        assert.deepEqual([...((await again.loadVectors("m", ["h"]))[0]?.vector ?? [])], [0.5]);
        assert.ok((await again.write([sampleWrite("c")])) > version, "versions go on");
      } finally {
        await again.close();
      }
    },
  },
  {
    name: "a second handle sees what the first wrote, and conflicts where it must",
    needs: "openSecond",
    async check(store, { openSecond }) {
      const version = await store.write([sampleWrite("a")]);
      const second = await openSecond(store);
      try {
        expectSame((await second.read(["a"]))[0]?.record, sampleRecord("a"), "the record");
        await second.write([sampleWrite("a", version, 2)]);
        await rejectsWith(CatalogError, "conflict", () =>
          store.write([sampleWrite("a", version, 3)]),
        );
        assert.deepEqual(
          (await changedAfter(store, version)).map(({ id }) => id),
          ["a"],
        );
      } finally {
        await second.close();
      }
    },
  },
];
