import assert from "node:assert/strict";

import { expect, it } from "vitest";

import { allNames, numbers, refused } from "../conformance/expectations.ts";
import { createMemoryRecords } from "../create-memory-records.ts";
import type { Records } from "./records.ts";

const put = (name: string) => ({ put: name, value: name.length });

/** What no database below can get wrong. */
const rules: { name: string; check(records: Records): Promise<void> }[] = [
  {
    name: "each put counts the version up",
    async check(records) {
      for (const before of numbers(5)) {
        const outcome = await records.write([{ put: "r", value: before }]);
        assert.deepEqual(outcome, [{ before, after: before + 1 }]);
      }
      assert.deepEqual(await records.get("r"), { name: "r", value: 4, version: 5 });
    },
  },
  {
    name: "a put at another version than the record's is refused",
    async check(records) {
      await refused("conflict", () => records.write([{ put: "r", value: 1, expectedVersion: 1 }]));
      await records.write([{ put: "r", value: 1, expectedVersion: 0 }]);
      for (const expectedVersion of [0, 2])
        await refused("conflict", () => records.write([{ put: "r", value: 2, expectedVersion }]));
      assert.deepEqual(await records.get("r"), { name: "r", value: 1, version: 1 });
    },
  },
  {
    name: "a removal at another version than the record's is refused",
    async check(records) {
      await records.write([{ put: "r", value: 1 }]);
      await refused("conflict", () => records.write([{ remove: "r", expectedVersion: 2 }]));
      assert.equal((await records.get("r"))?.version, 1);
    },
  },
  {
    name: "two changes of one name, and a value without JSON, are refused",
    async check(records) {
      const twice = [{ put: "r", value: 1 }, { remove: "r" }];
      await refused("invalid_options", () => records.write(twice));
      for (const value of [undefined, Number.NaN, 1n, [undefined], { a: new Map() }, () => 1])
        await refused("invalid_options", () => records.write([{ put: "r", value }]));
      for (const put of ["", "x".repeat(301)])
        await refused("invalid_options", () => records.write([{ put, value: 1 }]));
      assert.equal(await records.get("r"), undefined);
    },
  },
  {
    name: "what the caller does with a value reaches no record",
    async check(records) {
      const value = { list: [1] };
      await records.write([{ put: "r", value }]);
      value.list.push(2);
      const found = await records.get("r");
      Object.assign(found ?? {}, { value: 5 });
      assert.deepEqual((await records.get("r"))?.value, { list: [1] });
    },
  },
  {
    name: "pages of no or too many entries are refused",
    async check(records) {
      for (const limit of [0, -1, 1.5, 1_001])
        await refused("invalid_options", () => records.list({ limit }));
      await refused("invalid_options", () => records.readLog("l", { limit: 10_001 }));
      await refused("invalid_options", () => records.readLog("l", { from: -1 }));
    },
  },
  {
    name: "an append at another version than the log's is refused whole",
    async check(records) {
      await records.write([{ append: "l", entries: [1, 2], expectedVersion: 0 }]);
      for (const expectedVersion of [0, 1, 3])
        await refused("conflict", () =>
          records.write([{ append: "l", entries: [3], expectedVersion }]),
        );
      assert.deepEqual(await records.readLog("l"), { entries: [1, 2], version: 2 });
    },
  },
  {
    name: "an append of nothing creates nothing",
    async check(records) {
      const outcome = await records.write([{ append: "l", entries: [] }]);
      assert.deepEqual(outcome, [{ before: 0, after: 0 }]);
      assert.deepEqual(await records.listLogs(), { logs: [] });
    },
  },
  {
    name: "a lease is renewed and given back by its holder alone",
    async check(records) {
      const first = await records.acquireLease("w", { ttlMs: 10, nowMs: 0 });
      const held = await records.acquireLease("w", { ttlMs: 10, nowMs: 50, held: first });
      assert.deepEqual(held, { name: "w", token: first?.token, untilMs: 60 });
      await records.acquireLease("w", { ttlMs: 0, nowMs: 51, held });
      const second = await records.acquireLease("w", { ttlMs: 10, nowMs: 51 });
      assert.ok(second !== undefined, "a lease that was given back is not free");
      assert.equal(await records.acquireLease("w", { ttlMs: 10, nowMs: 52, held }), undefined);
    },
  },
  {
    name: "a write with a lease that another holder has now is refused",
    async check(records) {
      const lease = await records.acquireLease("w", { ttlMs: 10, nowMs: 0 });
      await records.write([{ put: "r", value: 1 }], { lease });
      await records.acquireLease("w", { ttlMs: 10, nowMs: 10 });
      await refused("conflict", () => records.write([{ put: "r", value: 2 }], { lease }));
      assert.equal((await records.get("r"))?.value, 1);
    },
  },
  {
    name: "a call whose signal is aborted changes nothing",
    async check(records) {
      const signal = AbortSignal.abort();
      await refused("aborted", () => records.write([{ put: "r", value: 1 }], { signal }));
      await refused("aborted", () => records.acquireLease("w", { ttlMs: 1, nowMs: 0, signal }));
      await refused("aborted", () => records.get("r", { signal }));
      assert.equal(await records.get("r"), undefined);
      assert.equal((await records.acquireLease("w", { ttlMs: 1, nowMs: 0 }))?.token, 1);
    },
  },
  {
    name: "closed records refuse every call, and close twice",
    async check(records) {
      const writing = records.write([{ put: "r", value: 1 }]);
      await records.close();
      await records.close();
      await writing;
      await refused("closed", () => records.get("r"));
      await refused("closed", () => records.list());
      await refused("closed", () => records.readLog("l"));
      await refused("closed", () => records.listLogs());
      await refused("closed", () => records.write([]));
      await refused("closed", () => records.acquireLease("w", { ttlMs: 1, nowMs: 0 }));
    },
  },
  {
    name: "of several changes all are made or none",
    async check(records) {
      await records.write([{ put: "b", value: 1 }]);
      await refused("conflict", () =>
        records.write([
          { put: "a", value: 1 },
          { append: "log", entries: [1] },
          { put: "b", value: 2, expectedVersion: 0 },
        ]),
      );
      assert.equal(await records.get("a"), undefined);
      assert.deepEqual(await records.readLog("log"), { entries: [], version: 0 });
      const outcomes = await records.write([
        { put: "a", value: 1 },
        { append: "log", entries: [1, 2] },
        { remove: "b", expectedVersion: 1 },
      ]);
      assert.deepEqual(
        outcomes.map(({ after }) => after),
        [1, 2, 0],
      );
    },
  },
  {
    name: "logs and records of one name are listed apart",
    async check(records) {
      await records.write([
        put("a"),
        { append: "a", entries: [1, 2] },
        { append: "b", entries: [1] },
      ]);
      assert.deepEqual(await allNames(records, "records"), ["a"]);
      assert.deepEqual(await records.listLogs(), {
        logs: [
          { name: "a", version: 2 },
          { name: "b", version: 1 },
        ],
      });
      assert.deepEqual(await allNames(records, "logs", { limit: 1 }), ["a", "b"]);
    },
  },
  {
    name: "a log that is not there is empty",
    async check(records) {
      assert.deepEqual(await records.readLog("l"), { entries: [], version: 0 });
    },
  },
  {
    name: "of appends at one version at the same time one wins",
    async check(records) {
      const done = await Promise.allSettled(
        numbers(6).map((n) =>
          records.write([{ append: "l", entries: [n, n], expectedVersion: 0 }]),
        ),
      );
      const winners = done.flatMap(({ status }, at) => (status === "fulfilled" ? [at, at] : []));
      assert.equal(winners.length, 2, "entries of writers that won");
      assert.deepEqual((await records.readLog("l")).entries, winners);
    },
  },
  {
    name: "no write without a version is lost",
    async check(records) {
      await Promise.all(numbers(20).map((value) => records.write([{ put: "r", value }])));
      assert.equal((await records.get("r"))?.version, 20);
    },
  },
];

// oxlint-disable-next-line vitest/expect-expect -- the rules assert
it.each(rules)("$name", async ({ check }) =>
  expect(await check(createMemoryRecords())).toBeUndefined(),
);
