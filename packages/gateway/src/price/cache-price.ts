import type { ReportedInput } from "../history/read-request.ts";

/** A provider's input prices, relative to a token that is neither read from nor written to its cache. */
export interface CachePrice {
  /** Price of a token read from the cache. */
  read: number;
  /** Price of a token that is not in the cache. Above 1 if cache writes cost extra. */
  write: number;
  /** Minimum length of a cached prefix. */
  minCachedTokens: number;
  /** US dollars per million plain input tokens. 0 if unknown. */
  usdPerMillion: number;
  isKnown: boolean;
}

/** A prompt's tokens, split by whether the provider's cache holds them. */
export interface PromptTokens {
  cached: number;
  fresh: number;
}

/** Returns the price of a prompt, in plain input tokens. */
export function promptPrice({ cached, fresh }: PromptTokens, price: CachePrice): number {
  const isCached = cached >= price.minCachedTokens;
  return isCached ? cached * price.read + fresh * price.write : (cached + fresh) * price.write;
}

/** Returns the price of the input that a provider reported, in plain input tokens. */
export function reportedPrice(
  { total, cached, written }: ReportedInput,
  { read, write }: CachePrice,
): number {
  return total - cached - written + cached * read + written * write;
}

/** A family of models. `models` is a regular expression for the start of their names. */
type Family = readonly [
  models: string,
  usdPerMillion: number,
  read: number,
  write: number,
  minCachedTokens: number,
];

/**
 * List prices per million input tokens in US dollars, from copies of these pages of June 2026. Used to compare
 * policies. Actual bills may differ. Anthropic: docs.claude.com/en/docs/about-claude/pricing and
 * /build-with-claude/prompt-caching (for five minutes). OpenAI: platform.openai.com/docs/pricing and
 * /guides/prompt-caching. DeepSeek: api-docs.deepseek.com/quick_start/pricing. Google:
 * ai.google.dev/gemini-api/docs/pricing. The first family that matches is used.
 */
const families: readonly Family[] = [
  ["claude-opus-4-(0|1|20250514)", 15, 0.1, 1.25, 1024],
  ["claude-opus", 5, 0.1, 1.25, 4096],
  ["claude-sonnet", 3, 0.1, 1.25, 1024],
  ["claude-haiku", 1, 0.1, 1.25, 4096],
  ["gpt-5[.]5", 5, 0.1, 1, 1024],
  ["gpt-5[.]4-mini", 0.75, 0.1, 1, 1024],
  ["gpt-5[.]4-nano", 0.2, 0.1, 1, 1024],
  ["gpt-5[.]4", 2.5, 0.1, 1, 1024],
  ["gpt-5(-|[.]1-codex-)mini", 0.25, 0.1, 1, 1024],
  ["gpt-5-nano", 0.05, 0.1, 1, 1024],
  ["gpt-5[.]2", 1.75, 0.1, 1, 1024],
  ["gpt-5([.]1)?", 1.25, 0.1, 1, 1024],
  ["gpt-4[.]1-mini", 0.4, 0.25, 1, 1024],
  ["gpt-4[.]1-nano", 0.1, 0.25, 1, 1024],
  ["gpt-4[.]1", 2, 0.25, 1, 1024],
  ["gpt-4o-mini", 0.15, 0.5, 1, 1024],
  ["gpt-4o", 2.5, 0.5, 1, 1024],
  ["o3", 2, 0.25, 1, 1024],
  ["o4-mini", 1.1, 0.25, 1, 1024],
  ["deepseek", 0.28, 0.1, 1, 1024],
  ["gemini-3-pro", 2, 0.1, 1, 4096],
  ["gemini-3-flash", 0.5, 0.1, 1, 1024],
  ["gemini-2[.]5-pro", 1.25, 0.1, 1, 4096],
  ["gemini-2[.]5-flash", 0.3, 0.1, 1, 1024],
];

/** Used to plan for a model without a known price. Assumes the highest price of a cache write. */
const unknown: Family = ["", 0, 0.1, 1.25, 1024];

/**
 * Returns the prices of a model, by name with or without the provider's prefix. For an unknown model, the dollar price
 * is 0 and `isKnown` is false.
 */
export function cachePriceOf(model: string | undefined): CachePrice {
  const name = model?.toLowerCase().replace(/^.*[/]|^.*(?=\bclaude-)/g, "") ?? "";
  const found = families.find(([models]) => new RegExp(`^(${models})${sameModel}`).test(name));
  const [, usdPerMillion, read, write, minCachedTokens] = found ?? unknown;
  return { read, write, minCachedTokens, usdPerMillion, isKnown: found !== undefined };
}

/** Matches a date, version or variant that has the same price. `-pro` and `-mini` have their own prices. */
const sameModel = String.raw`($|[@:]|-(\d|v\d|latest|preview|chat|codex|reasoner))`;

const minuteMs = 60_000;

/** Returns how long a cache may keep a prompt after its last use. After that time, the gateway treats it as expired. */
export function cacheLifetimeMs(model: string | undefined, body: string): number {
  if (/"prompt_cache_retention"\s*:\s*"24h"/.test(body)) return 24 * 60 * minuteMs;
  const isShort = /claude/i.test(model ?? "") && !/"ttl"\s*:\s*"1h"/.test(body);
  // Providers sometimes keep both for longer than promised.
  return (isShort ? 6 : 90) * minuteMs;
}
