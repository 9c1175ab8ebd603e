import assert from "node:assert/strict";
import { test } from "node:test";

import { formatCents, toCents } from "../src/money.js";

test("an amount becomes whole cents", () => {
  assert.equal(toCents(29.99), 2999, "29.99 is 2999 cents");
  assert.equal(toCents(1.15), 115, "1.15 is 115 cents");
});

test("cents are written with two digits", () => {
  assert.equal(formatCents(1005), "10.05", "1005 cents are 10.05");
});
