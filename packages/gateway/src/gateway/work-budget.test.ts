import { expect, it } from "vitest";

import { WorkBudget } from "./work-budget.ts";

it("is up after the limit for all together, and comes back as a fifth of the time between", () => {
  let nowMs = 1_000;
  const budget = new WorkBudget(100, () => nowMs);
  const lasts = (ms: number): void => {
    const { isLate, end } = budget.start(() => false);
    nowMs += ms - 1;
    expect(isLate()).toBe(false);
    nowMs += 1;
    expect(isLate()).toBe(true);
    end();
  };
  const first = budget.start(() => false);
  nowMs += 60;
  first.end();
  lasts(40);
  nowMs += 50;
  lasts(10);
  nowMs += 10_000;
  lasts(100);
  // Alone, but behind others: more of them may lie unread.
  expect(budget.start(() => true).isLate()).toBe(true);
  nowMs += 10_000;
  const alone = budget.start(() => true);
  nowMs += 7_499;
  expect(alone.isLate()).toBe(false);
  nowMs += 1;
  expect(alone.isLate()).toBe(true);
  alone.end();
  // It leaves a debt, but no larger one than the limit.
  nowMs += 1_000;
  lasts(100);
});
