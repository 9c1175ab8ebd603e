import assert from "node:assert/strict";

import type { KitRule } from "@ccl/core/conformance";

import type { Records } from "../records/records.ts";
import { numbers, oddNames } from "./expectations.ts";

const values: readonly unknown[] = [
  null,
  false,
  0,
  -1.5e-7,
  "",
  "грёза 🙂 \u0000 \n \u2028 \ufeff \\ \ud83d",
  [],
  {},
  [[null, { "": [1, "a"] }]],
  { z: 1, a: { é: "e\u0301" } },
];

/** Rules for single records. */
export const recordRules: readonly KitRule<Records>[] = [
  {
    name: "every JSON value comes back as it was",
    async check(records) {
      for (const [index, value] of values.entries()) {
        const name = `r${index}`;
        await records.write([{ put: name, value }]);
        const found = await records.get(name);
        assert.deepEqual(found, { name, value, version: 1 });
        assert.equal(JSON.stringify(found?.value), JSON.stringify(value), "the order of members");
      }
    },
  },
  {
    name: "a value of 3 MiB with characters of any length comes back whole",
    async check(records) {
      const value = `a${"é🙂ж".repeat(300_000)}z`;
      await records.write([{ put: "r", value }]);
      const found = await records.get("r");
      assert.ok(found?.value === value, "the text is another one");
    },
  },
  {
    name: "many records are answered in the order asked",
    async check(records) {
      const names = numbers(1_200).map((at) => `r${at}`);
      await records.write(names.map((put) => ({ put, value: put })));
      const requested = ["none", ...names.toReversed(), "r7", "r7"];
      const found = await records.getMany(requested);
      assert.deepEqual(
        found.map((record) => record?.value),
        [undefined, ...names.toReversed(), "r7", "r7"],
      );
      assert.deepEqual(await records.getMany([]), []);
    },
  },
  {
    name: "names that look alike are apart",
    async check(records) {
      for (const [value, put] of oddNames.entries()) await records.write([{ put, value }]);
      for (const [value, name] of oddNames.entries())
        assert.deepEqual(await records.get(name), { name, value, version: 1 });
    },
  },
  {
    name: "a removed record is gone, and begins at version 1 again",
    async check(records) {
      await records.write([{ put: "r", value: 1 }]);
      await records.write([{ put: "r", value: 2 }]);
      assert.deepEqual(await records.write([{ remove: "r" }]), [{ before: 2, after: 0 }]);
      assert.equal(await records.get("r"), undefined);
      assert.deepEqual(await records.list(), { records: [] });
      assert.deepEqual(await records.write([{ remove: "r" }]), [{ before: 0, after: 0 }]);
      await records.write([{ put: "r", value: 3, expectedVersion: 0 }]);
      assert.deepEqual(await records.get("r"), { name: "r", value: 3, version: 1 });
    },
  },
  {
    name: "a read sees the write before it",
    async check(records) {
      for (const value of numbers(20)) {
        await records.write([{ put: "r", value }]);
        assert.equal((await records.get("r"))?.value, value);
        assert.equal((await records.list()).records[0]?.value, value);
      }
    },
  },
  {
    name: "of writers of one version at the same time one wins",
    async check(records) {
      const outcomes = await Promise.allSettled(
        numbers(8).map((value) =>
          records.write([
            { put: `own${value}`, value },
            { put: "shared", value, expectedVersion: 0 },
          ]),
        ),
      );
      const winners = outcomes.flatMap(({ status }, at) => (status === "fulfilled" ? [at] : []));
      assert.equal(winners.length, 1, "the number of writers that won");
      assert.equal((await records.get("shared"))?.value, winners[0]);
      const { records: own } = await records.list({ prefix: "own" });
      assert.deepEqual(
        own.map(({ value }) => value),
        winners,
        "the other writers changed nothing",
      );
    },
  },
];
