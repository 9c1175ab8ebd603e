import assert from "node:assert/strict";

import type { KitRule } from "@ccl/core/conformance";

import type { Records } from "../records/records.ts";
import { allEntries, numbers, oddNames } from "./expectations.ts";

/** Rules for logs. */
export const logRules: readonly KitRule<Records>[] = [
  {
    name: "entries come back in their order, page by page",
    async check(records) {
      const entries = numbers(25).map((n) => ({ n, text: "ж🙂".repeat(n) }));
      await records.write([{ append: "l", entries: entries.slice(0, 9) }]);
      await records.write([{ append: "l", entries: entries.slice(9) }]);
      for (const limit of [1, 4, 25, 1_000])
        assert.deepEqual(await allEntries(records, "l", limit), entries);
      assert.deepEqual(await records.readLog("l", { from: 30 }), { entries: [], version: 25 });
    },
  },
  {
    name: "a log of 2,500 entries has all of them",
    async check(records) {
      await records.write([{ append: "l", entries: numbers(2_000) }]);
      await records.write([{ append: "l", entries: numbers(500) }]);
      const page = await records.readLog("l", { limit: 10_000 });
      assert.deepEqual(page.entries, [...numbers(2_000), ...numbers(500)]);
    },
  },
  {
    name: "appends without a version are all kept",
    async check(records) {
      await Promise.all(numbers(20).map((n) => records.write([{ append: "l", entries: [n] }])));
      const { entries } = await records.readLog("l");
      assert.deepEqual(
        entries.toSorted((one, other) => Number(one) - Number(other)),
        numbers(20),
      );
    },
  },
  {
    name: "a removed log is gone, and begins anew without its old entries",
    async check(records) {
      await records.write([{ append: "l", entries: numbers(600) }]);
      assert.deepEqual(await records.write([{ removeLog: "l" }]), [{ before: 600, after: 0 }]);
      assert.deepEqual(await records.readLog("l"), { entries: [], version: 0 });
      assert.deepEqual(await records.listLogs(), { logs: [] });
      await records.write([{ append: "l", entries: ["new"], expectedVersion: 0 }]);
      assert.deepEqual(await allEntries(records, "l"), ["new"]);
    },
  },
  {
    name: "logs whose names look alike are apart",
    async check(records) {
      for (const [n, append] of oddNames.entries())
        await records.write([{ append, entries: [n, n + 1] }]);
      for (const [n, name] of oddNames.entries())
        assert.deepEqual(await allEntries(records, name), [n, n + 1]);
    },
  },
];
