import { expect, it } from "vitest";

import type { GatewayPlan } from "../gateway/create-gateway.ts";
import { countPlan, countReported, measuredSaving, newStats } from "./proxy-stats.ts";

const planOf = (reason?: GatewayPlan["reason"]): GatewayPlan => ({
  edits: [],
  reason,
  model: "gpt-5",
  directPrice: 1_000_000,
  price: 600_000,
});

it("counts savings only for requests sent shorter, and compares reported usage with held-out sessions", () => {
  const stats = newStats();
  for (const reason of [undefined, "holdout"] as const) {
    const plan = planOf(reason);
    countPlan(stats, plan);
    const cached = reason === undefined ? 500_000 : 0;
    countReported(stats, plan, { total: 1_200_000, cached, written: 0 });
  }
  expect(stats).toMatchObject({
    directUsd: expect.closeTo(2.5),
    usd: expect.closeTo(2),
    plannedUsd: expect.closeTo(1.5),
  });
  // 750,000 of 1,200,000, whatever prices the model assumed for the prompts.
  expect(measuredSaving(stats)).toBeCloseTo(1 - 0.75 / 1.2);
  // Answers without usage, such as errors, are not compared.
  countPlan(stats, planOf());
  countReported(stats, planOf(), { total: 0, cached: 0, written: 0 });
  expect(measuredSaving(stats)).toBeCloseTo(1 - 0.75 / 1.2);
  expect(measuredSaving(newStats())).toBeUndefined();
  const audited = newStats();
  countPlan(audited, planOf("audit"));
  expect(audited).toMatchObject({
    usd: expect.closeTo(1.25),
    plannedUsd: expect.closeTo(0.75),
    changed: 0,
  });
});
