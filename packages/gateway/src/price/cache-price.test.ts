import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { cachePriceOf, promptPrice } from "./cache-price.ts";

const models = ["claude-opus-4-5", "gpt-5", "gpt-5-mini", "deepseek-chat", "gemini-3", undefined];
const tokens = fc.integer({ min: 0, max: 5_000 });

describe("promptPrice", () => {
  it.each(models)("charges %s no more where more of a prompt is cached", (model) => {
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

  it("charges a prefix that is just long enough as cached, and one that is a token shorter as new", () => {
    const price = cachePriceOf("gpt-5");
    const { minCachedTokens: min } = price;
    expect(promptPrice({ cached: min, fresh: 0 }, price)).toBeLessThan(min - 1);
    expect(promptPrice({ cached: min - 1, fresh: 0 }, price)).toBe(min - 1);
  });
});

it.each([
  ["gpt-5-mini-2026", "gpt-5", 5],
  ["openai/gpt-5-nano", "gpt-5", 25],
  ["Anthropic/Claude-Haiku-4-5", "claude-opus-4-5", 5],
  ["claude-haiku-4-5", "some-claude", 3],
  ["gemini-3-flash", "gpt-5.1", 1],
])("takes %s for a model of its own family, %s being dearer %d times", (cheap, dear, times) => {
  const [low, high] = [cachePriceOf(cheap).usdPerMillion, cachePriceOf(dear).usdPerMillion];
  expect(high / low).toBeCloseTo(times);
});

it("prices a model that it does not know as Claude Sonnet, whose cache costs a quarter more to write", () => {
  const sonnet = cachePriceOf("claude-sonnet-4-5");
  for (const model of [undefined, "", "llama-4", "x/claude-next"])
    expect(cachePriceOf(model)).toEqual(sonnet);
  expect(sonnet.write).toBe(1.25);
  for (const model of ["gpt-5", "o3", "deepseek-chat", "gemini-3"])
    expect(cachePriceOf(model).write).toBe(1);
});
