import assert from "node:assert/strict";

import type { KitRule } from "@ccl/core/conformance";

import type { Records } from "../records/records.ts";
import { numbers } from "./expectations.ts";

/** Rules for leases. */
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
];
