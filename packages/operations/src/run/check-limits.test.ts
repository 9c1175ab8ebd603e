import { estimatedCounter } from "@ccl/core";
import { describe, expect, it } from "vitest";

import { checkLimits } from "./check-limits.ts";
import type { EngineLimits } from "./engine-options.ts";

const prompt = { budget: 0, counter: estimatedCounter };

describe("limits", () => {
  it.each<EngineLimits>([
    {},
    { leaseMs: 1, pollMs: 1, storeTimeoutMs: 1, maxEffectChars: 0 },
    { leaseMs: undefined, prompt },
    { concurrency: 0 },
  ])("may be %j", (limits) => {
    expect(() => checkLimits(limits)).not.toThrow();
  });

  it.each<[string, EngineLimits]>([
    ["leaseMs is 0; it must be a number of at least 1", { leaseMs: 0 }],
    ["pollMs is 0", { pollMs: 0 }],
    ["storeTimeoutMs is 0", { storeTimeoutMs: 0 }],
    ["maxEffectChars is -1; it must be a number of at least 0", { maxEffectChars: -1 }],
    ["maxEffectChars is NaN", { maxEffectChars: NaN }],
    ["maxEffectChars is 5;", { maxEffectChars: JSON.parse('"5"') }],
    ["concurrency is NaN; it must be a number of at least 0", { concurrency: NaN }],
    ["concurrency is two", { concurrency: JSON.parse('"two"') }],
    ["prompt.budget is -1", { prompt: { ...prompt, budget: -1 } }],
    ["prompt.budget is undefined", { prompt: { ...prompt, budget: JSON.parse("{}").budget } }],
    ["prompt.counter is not a token counter", { prompt: { ...prompt, counter: JSON.parse("{}") } }],
    ["prompt.counter is not a token counter", { prompt: JSON.parse('{ "budget": 1 }') }],
  ])("are refused: %s", (message, limits) => {
    expect(() => checkLimits(limits)).toThrow(message);
  });
});
