import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { cacheLifetimeMs, cachePriceOf, promptPrice, reportedPrice } from "./cache-price.ts";

const models = ["claude-opus-4-5", "gpt-5", "gpt-5-mini", "deepseek-chat", "gemini-3", undefined];
const tokens = fc.integer({ min: 0, max: 5_000 });

describe("promptPrice", () => {
  it.each(models)("never charges %s more if more of the prompt is cached", (model) => {
    const price = cachePriceOf(model);
    fc.assert(
      fc.property(tokens, tokens, tokens, (cached, moved, fresh) => {
        const less = promptPrice({ cached, fresh: fresh + moved }, price);
        const more = promptPrice({ cached: cached + moved, fresh }, price);
        expect(more).toBeLessThanOrEqual(less);
        const whole = (cached + moved + fresh) * price.write;
        const isCached = cached >= price.minCachedTokens;
        expect(less).toBeCloseTo(whole - (isCached ? cached * (price.write - price.read) : 0));
      }),
    );
  });

  it("charges a prefix of exactly the minimum length as cached, and a shorter one as new", () => {
    const price = cachePriceOf("gpt-5");
    const { minCachedTokens: min } = price;
    expect(promptPrice({ cached: min, fresh: 0 }, price)).toBeLessThan(min - 1);
    expect(promptPrice({ cached: min - 1, fresh: 0 }, price)).toBe(min - 1);
  });
});

it.each([
  ["gpt-5-mini-2026", "gpt-5", 5],
  ["openai/gpt-5-nano", "gpt-5-2025-08-07", 25],
  ["Anthropic/Claude-Haiku-4-5", "claude-opus-4-5", 5],
  ["us.anthropic.claude-sonnet-4-5-20250929-v1:0", "claude-opus-4-1@20250805", 5],
  ["gpt-4o-mini", "gpt-4.1", 2 / 0.15],
  ["claude-opus-4-5-20251101", "anthropic.claude-opus-4-20250514-v1:0", 3],
])("prices %s by its own family, while %s costs %d times as much", (cheap, dear, times) => {
  const [low, high] = [cachePriceOf(cheap).usdPerMillion, cachePriceOf(dear).usdPerMillion];
  expect(high / low).toBeCloseTo(times);
});

it("does not price a model by a family that only shares a name prefix", () => {
  for (const model of [
    undefined,
    "",
    "llama-4",
    "x/claude-next",
    "gpt-5.7",
    "gpt-50",
    "o30",
    "my-o3",
    "gpt-5-pro",
    "o3-mini",
    "gemini-2.5-flash-lite",
    "gpt-4o-audio-preview",
  ])
    expect(cachePriceOf(model)).toEqual({
      ...cachePriceOf("claude-sonnet"),
      usdPerMillion: 0,
      isKnown: false,
    });
  for (const model of [
    "gpt-5",
    "gpt-5-codex",
    "gpt-5.1-chat-latest",
    "o3-2025-04-16",
    "deepseek-chat",
    "deepseek-v3.2",
    "gemini-2.5-pro",
    "gemini-3-pro-preview",
  ])
    expect(cachePriceOf(model)).toMatchObject({ write: 1, isKnown: true });
});

it.each([
  ["claude-sonnet-4-5", "{}", 5],
  ["claude-sonnet-4-5", '{"cache_control":{"ttl": "1h"}}', 60],
  ["gpt-5", "{}", 60],
  ["gpt-5", '{"prompt_cache_retention":"24h"}', 24 * 60 - 1],
])("assumes that the cache of %s with %s lives at least %i minutes", (model, body, minutes) => {
  expect(cacheLifetimeMs(model, body)).toBeGreaterThan(minutes * 60_000);
  expect(cacheLifetimeMs(model, body)).toBeLessThan(minutes * 2 * 60_000);
});

it.each([
  ["claude-opus-4-20250514", 15, 1.5, 18.75, 1024],
  ["claude-opus-4-1", 15, 1.5, 18.75, 1024],
  ["claude-opus-4-5", 5, 0.5, 6.25, 4096],
  ["claude-sonnet-4-5", 3, 0.3, 3.75, 1024],
  ["claude-haiku-4-5", 1, 0.1, 1.25, 4096],
  ["gpt-5.5", 5, 0.5, 5, 1024],
  ["gpt-5.4", 2.5, 0.25, 2.5, 1024],
  ["gpt-5.4-mini", 0.75, 0.075, 0.75, 1024],
  ["gpt-5.4-nano", 0.2, 0.02, 0.2, 1024],
  ["gpt-5.2", 1.75, 0.175, 1.75, 1024],
  ["gpt-5.1", 1.25, 0.125, 1.25, 1024],
  ["gpt-5.1-codex-mini", 0.25, 0.025, 0.25, 1024],
  ["gpt-5", 1.25, 0.125, 1.25, 1024],
  ["gpt-5-mini", 0.25, 0.025, 0.25, 1024],
  ["gpt-5-nano", 0.05, 0.005, 0.05, 1024],
  ["gpt-4.1", 2, 0.5, 2, 1024],
  ["gpt-4.1-mini", 0.4, 0.1, 0.4, 1024],
  ["gpt-4.1-nano", 0.1, 0.025, 0.1, 1024],
  ["gpt-4o", 2.5, 1.25, 2.5, 1024],
  ["gpt-4o-mini", 0.15, 0.075, 0.15, 1024],
  ["o3", 2, 0.5, 2, 1024],
  ["o4-mini", 1.1, 0.275, 1.1, 1024],
  ["deepseek-chat", 0.28, 0.028, 0.28, 1024],
  ["gemini-3-pro", 2, 0.2, 2, 4096],
  ["gemini-3-flash", 0.5, 0.05, 0.5, 1024],
  ["gemini-2.5-pro", 1.25, 0.125, 1.25, 4096],
  ["gemini-2.5-flash", 0.3, 0.03, 0.3, 1024],
])("charges the listed price for a million tokens of %s", (model, plain, read, write, min) => {
  const price = cachePriceOf(model);
  const usdOf = (reported: { cached: number; written: number }): number =>
    (reportedPrice({ total: 1e6, ...reported }, price) * price.usdPerMillion) / 1e6;
  expect(usdOf({ cached: 0, written: 0 })).toBeCloseTo(plain);
  expect(usdOf({ cached: 1e6, written: 0 })).toBeCloseTo(read);
  expect(usdOf({ cached: 0, written: 1e6 })).toBeCloseTo(write);
  expect(usdOf({ cached: 5e5, written: 0 })).toBeCloseTo((plain + read) / 2);
  expect(price.minCachedTokens).toBe(min);
});
