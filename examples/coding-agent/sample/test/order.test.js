import assert from "node:assert/strict";
import { test } from "node:test";

import { totalOf } from "../src/order.js";

test("an order without a tier costs the sum of its lines", () => {
  assert.equal(
    totalOf({ tier: "none", lines: [{ price: 2.5, count: 3 }] }),
    750,
    "three times 2.50 are 750 cents",
  );
});

test("a discount is taken off in whole cents", () => {
  const order = { tier: "gold", lines: [{ price: 9.99, count: 1 }] };
  assert.equal(totalOf(order), 849, "9.99 less 15 percent are 849 cents");
});
