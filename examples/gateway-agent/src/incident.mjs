// What the agent's tools return: a log, a list of orders, a test run and the orders of a page. Only a few facts matter.
const at = (count, line) => Array.from({ length: count }, (_, place) => line(place));

const log = at(700, (place) =>
  place === 411
    ? "10:41:07 ERROR worker 3 lost the volume vol-77 (orders-db)"
    : `10:${10 + (place % 50)}:${10 + (place % 47)} INFO worker ${place % 9} took job ${place * 17}`,
).join("\n");

const orders = JSON.stringify(
  at(300, (place) => ({
    id: `order-${1000 + place}`,
    state: place === 217 ? "disputed" : "paid",
    country: "AT",
    total: 100 + ((place * 37) % 50),
  })),
);

const tests = [
  ...at(
    200,
    (place) => ` ✓ src/orders/case-${place}.test.ts (${1 + (place % 9)} tests) ${place % 30}ms`,
  ),
  " × src/orders/mount.test.ts > opens the volume again 12ms",
  "   → expected 'vol-77' to be mounted",
  " Test Files  1 failed | 200 passed (201)",
].join("\n");

const page = (number) =>
  JSON.stringify(
    at(60, (place) => ({
      id: `order-${2000 + number * 60 + place}`,
      state: "paid",
      items: place % 5,
    })),
  );

/** The tools that the model calls, in order, and what they return. */
export const calls = [
  { name: "read_log", result: log },
  { name: "list_orders", result: orders },
  { name: "run_tests", result: tests },
  { name: "read_log", result: log },
  ...at(8, (place) => ({ name: "list_page", result: page(place) })),
];

/** What the model must be able to see at the end. */
export const facts = ["vol-77", "order-1217", "disputed", "mount.test.ts"];
