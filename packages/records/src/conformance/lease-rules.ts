import assert from "node:assert/strict";

import type { KitRule } from "@ccl/core/conformance";

import type { Records } from "../records/records.ts";
import { numbers, refused } from "./expectations.ts";

/** Rules of leases. */
export const leaseRules: readonly KitRule<Records>[] = [
  {
    name: "a lease has one holder at a time, and each later one a larger token",
    async check(records) {
      const asked = await Promise.all(
        numbers(5).map(() => records.acquireLease("w", { ttlMs: 10, nowMs: 100 })),
      );
      const [first, ...others] = asked.filter((lease) => lease !== undefined);
      assert.deepEqual(others, []);
      assert.equal(await records.acquireLease("w", { ttlMs: 10, nowMs: 109 }), undefined);
      const second = await records.acquireLease("w", { ttlMs: 10, nowMs: 110 });
      assert.ok(first !== undefined && second !== undefined && second.token > first.token);
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
];
