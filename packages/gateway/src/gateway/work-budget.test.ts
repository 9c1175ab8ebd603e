import { expect, it } from "vitest";

import { WorkBudget } from "./work-budget.ts";

it("is up after the limit for all together, and comes back as half of the time between", () => {
  let nowMs = 1_000;
  const budget = new WorkBudget(100, () => nowMs);
  const lasts = (ms: number): void => {
    const { isLate, end } = budget.start();
    nowMs += ms - 1;
    expect(isLate()).toBe(false);
    nowMs += 1;
    expect(isLate()).toBe(true);
    end();
  };
  const first = budget.start();
  nowMs += 60;
  first.end();
  lasts(40);
  nowMs += 50;
  lasts(25);
  nowMs += 10_000;
  lasts(100);
});
