import assert from "node:assert/strict";
import type { KitRule } from "@ccl/core/conformance";
import type { Records } from "../records/records.ts";
import { allEntries, numbers } from "./expectations.ts";

/** Rules for cancelling, closing and surviving restarts. */
export const lifeRules: readonly KitRule<Records>[] = [
  {
    name: "records, logs and leases outlive the store",
    needs: "reopen",
    async check(records, { reopen }) {
      await records.write([
        { put: "r", value: "ж" },
        { put: "gone", value: 1 },
        { append: "l", entries: [1, 2] },
      ]);
      await records.write([{ remove: "gone" }]);
      await records.acquireLease("w", { ttlMs: 10, nowMs: 0 });
      const again = await reopen(records);
      try {
        assert.deepEqual(await again.list(), { records: [{ name: "r", value: "ж", version: 1 }] });
        await again.write([{ append: "l", entries: [3], expectedVersion: 2 }]);
        assert.deepEqual(await allEntries(again, "l"), [1, 2, 3]);
        assert.equal(await again.acquireLease("w", { ttlMs: 10, nowMs: 5 }), undefined);
      } finally {
        await again.close();
      }
    },
  },
  {
    name: "two handles see each other's writes, and of two writers of one version one wins",
    needs: "openSecond",
    async check(records, { openSecond }) {
      const second = await openSecond(records);
      try {
        for (const value of numbers(10)) {
          const [writer, reader] = value % 2 === 0 ? [records, second] : [second, records];
          await writer.write([
            { put: "r", value },
            { append: "l", entries: [value] },
          ]);
          assert.equal((await reader.get("r"))?.value, value);
        }
        assert.deepEqual(await allEntries(second, "l"), numbers(10));
        const done = await Promise.allSettled(
          [records, second].map((opened, n) =>
            opened.write([{ append: "l", entries: [n], expectedVersion: 10 }]),
          ),
        );
        assert.deepEqual(done.map(({ status }) => status).sort(), ["fulfilled", "rejected"]);
        assert.equal((await records.readLog("l")).version, 11);
      } finally {
        await second.close();
      }
    },
  },
];

/** Rules for leases. */
export const leaseRules: readonly KitRule<Records>[] = [
  {
    name: "a lease has one holder at a time, and each later one a larger token",
    async check(records) {
      const leases = await Promise.all(
        numbers(5).map(() => records.acquireLease("w", { ttlMs: 10, nowMs: 100 })),
      );
      const [first, ...others] = leases.filter((lease) => lease !== undefined);
      assert.deepEqual(others, []);
      assert.equal(await records.acquireLease("w", { ttlMs: 10, nowMs: 109 }), undefined);
      const second = await records.acquireLease("w", { ttlMs: 10, nowMs: 110 });
      assert.ok(first !== undefined && second !== undefined && second.token > first.token);
    },
  },
];
