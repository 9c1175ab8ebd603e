import { expect, it } from "vitest";

import { groupCalls } from "./group-calls.ts";

it("carries out calls together that wait at the same time, though they come a few promises apart", async () => {
  const groups: number[][] = [];
  const double = groupCalls(async (items: readonly number[]) => {
    groups.push([...items]);
    return items.map((item) => item * 2);
  });
  const late = async (item: number): Promise<number> => {
    for (let turn = 0; turn < 5; turn += 1) await undefined;
    return double(item);
  };
  expect(await Promise.all([double(1), late(2), double(3)])).toEqual([2, 4, 6]);
  expect(groups).toEqual([[1, 3, 2]]);
  expect([await double(4), await double(5)]).toEqual([8, 10]);
  expect(groups.slice(1)).toEqual([[4], [5]]);
});

it("carries out each call alone where their group fails, so that one fails alone", async () => {
  const groups: number[][] = [];
  const positive = groupCalls(async (items: readonly number[]) => {
    groups.push([...items]);
    if (items.some((item) => item < 0)) throw new RangeError("Below 0.");
    return items;
  });
  const outcomes = await Promise.allSettled([positive(1), positive(-2), positive(3)]);
  expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
  expect(groups).toEqual([[1, -2, 3], [1], [-2], [3]]);
});

it("lets timers have their turn while calls keep coming", async () => {
  let isOver = false;
  let count = 0;
  const endless = groupCalls(async (items: readonly number[]) => {
    const until = Date.now() + 5;
    while (Date.now() < until) count += 1;
    return items;
  });
  setTimeout(() => (isOver = true));
  for (let calls = 0; calls < 1_000; calls += 1) {
    await endless(calls);
    if (isOver) break;
  }
  expect(isOver).toBe(true);
  expect(count).toBeGreaterThan(0);
});
