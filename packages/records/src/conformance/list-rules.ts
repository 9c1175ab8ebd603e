import assert from "node:assert/strict";

import type { KitRule } from "@ccl/core/conformance";

import type { Records } from "../records/records.ts";
import { allNames, numbers, oddNames } from "./expectations.ts";

const put = (name: string) => ({ put: name, value: name.length });

/** Rules for lists. */
export const listRules: readonly KitRule<Records>[] = [
  {
    name: "records are listed in the order of their code units, page by page",
    async check(records) {
      await records.write(oddNames.map(put));
      const sorted = oddNames.toSorted();
      assert.deepEqual(await allNames(records, "records", { limit: 4 }), sorted);
      assert.deepEqual(await allNames(records, "records", { limit: oddNames.length }), sorted);
    },
  },
  {
    name: "a list of 2,500 records has all of them",
    async check(records) {
      const names = numbers(2_500).map((index) => `r${String(index).padStart(4, "0")}`);
      for (let start = 0; start < names.length; start += 500)
        await records.write(names.slice(start, start + 500).map(put));
      assert.deepEqual(await allNames(records, "records", { limit: 1_000 }), names);
      assert.deepEqual(await allNames(records, "records", { prefix: "r24" }), names.slice(2_400));
    },
  },
  {
    name: "a page has as many records as were asked for",
    async check(records) {
      await records.write(numbers(300).map((index) => put(`r${1_000 + index}`)));
      const page = await records.list({ limit: 250 });
      assert.equal(page.records.length, 250);
      assert.equal((await records.list({ limit: 250, cursor: page.cursor })).records.length, 50);
    },
  },
  {
    name: "a prefix is text, and no pattern",
    async check(records) {
      await records.write(["a", "a%", "a%b", "a_", "ab", "A%", "b", "a~", "aЖ"].map(put));
      for (const [prefix, names] of [
        ["a%", ["a%", "a%b"]],
        ["a_", ["a_"]],
        ["a~", ["a~"]],
        ["aЖ", ["aЖ"]],
        ["A", ["A%"]],
        ["c", []],
      ] as const)
        assert.deepEqual(await allNames(records, "records", { prefix }), names);
    },
  },
];
