import { estimatedCounter } from "@ccl/core";
import { describe, expect, it } from "vitest";

import { checkLimits } from "./check-limits.ts";
import type { EngineLimits } from "./engine-options.ts";

const prompt = { budget: 0, counter: estimatedCounter };

describe("limits", () => {
  it.each<EngineLimits>([
    {},
    { maxDeltaChars: 2, leaseMs: 1, renewMs: 1, pollMs: 1, storeTimeoutMs: 1, maxEffectChars: 0 },
    { leaseMs: undefined, prompt },
    { concurrency: { global: -1, byKind: { llm: 0 }, byProvider: { a: 2 } } },
  ])("may be %j", (limits) => {
    expect(() => checkLimits(limits)).not.toThrow();
  });

  it.each<[string, EngineLimits]>([
    ["maxDeltaChars is 1; it must be a number of at least 2", { maxDeltaChars: 1 }],
    ["leaseMs is 0; it must be a number of at least 1", { leaseMs: 0 }],
    ["renewMs is 0.5", { renewMs: 0.5 }],
    ["pollMs is 0", { pollMs: 0 }],
    ["storeTimeoutMs is 0", { storeTimeoutMs: 0 }],
    ["maxEffectChars is -1; it must be a number of at least 0", { maxEffectChars: -1 }],
    ["maxEffectChars is NaN", { maxEffectChars: NaN }],
    ["maxEffectChars is 5;", { maxEffectChars: JSON.parse('"5"') }],
    ["concurrency of global is NaN; it must be a number.", { concurrency: { global: NaN } }],
    ["concurrency of llm is two", { concurrency: { byKind: { llm: JSON.parse('"two"') } } }],
    ["concurrency of a is null", { concurrency: { byProvider: { a: JSON.parse("null") } } }],
    ["prompt.budget is -1", { prompt: { ...prompt, budget: -1 } }],
    ["prompt.budget is undefined", { prompt: { ...prompt, budget: JSON.parse("{}").budget } }],
    ["prompt.counter is no token counter", { prompt: { ...prompt, counter: JSON.parse("{}") } }],
    ["prompt.counter is no token counter", { prompt: JSON.parse('{ "budget": 1 }') }],
  ])("are refused: %s", (message, limits) => {
    expect(() => checkLimits(limits)).toThrow(message);
  });
});
