import { expect, it } from "vitest";

import { isIdentifierLike, rankValue } from "./value-rank.ts";

const long = "x".repeat(64);

it.each([
  ["booking_id", "x", 3],
  ["bookingId", "x", 3],
  ["BookingCode", 7, 3],
  ["id", "2024-03-01", 2],
  ["k", "ZX81KQ", 3],
  ["guestName", "Ada", 2],
  ["total", 12.5, 2],
  ["k", "2024-03-01T10:00:00Z", 2],
  ["k", "Ada", 1],
  ["k", 0, 1],
  ["k", long, 1],
  ["id", `${long}x`, 0],
  ["id", "", 0],
  ["id", null, 0],
  ["id", true, 0],
  ["id", false, 0],
  // Keys may be hostile too.
  [`${long}_id`, "Ada", 1],
  [`${long}_name`, "Ada", 1],
  [`${long.slice(3)}_id`, "Ada", 3],
  [`${long.slice(4)}name`, "Ada", 2],
])("ranks the value of %s, %j, as %i", (key, value, rank) => {
  expect(rankValue(key, value)).toBe(rank);
});

it("distinguishes identifiers, paths and dates from words and amounts", () => {
  const names = ["HAT1", "mia_li_3668", "#W2378156", "src/a.ts", "a@b.org", "123456", "2024-03-01"];
  const others = ["HT1", "hotel", "12345", "-12.50", "1,234.5", "10:30:00", "room HAT136", "and/"];
  const longest = `${"x".repeat(63)}1`;
  expect([...names, longest].filter((text) => !isIdentifierLike(text))).toEqual([]);
  expect([...others, `${longest}1`].filter(isIdentifierLike)).toEqual([]);
});
