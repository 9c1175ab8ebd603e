/** What a provider charges for a prompt, relative to an input token that is neither read from nor written to its cache. */
export interface CachePrice {
  /** A token that is read from the cache. */
  read: number;
  /** A token that is not; more than 1 where writing to the cache costs extra. */
  write: number;
  /** Shorter prefixes are not cached. */
  minCachedTokens: number;
  /** Of a million plain input tokens. */
  usdPerMillion: number;
}

/** A prompt by what the provider's cache holds of it. */
export interface PromptTokens {
  cached: number;
  fresh: number;
}

/** The price of one prompt in plain input tokens. */
export function promptPrice({ cached, fresh }: PromptTokens, price: CachePrice): number {
  const isCached = cached >= price.minCachedTokens;
  return isCached ? cached * price.read + fresh * price.write : (cached + fresh) * price.write;
}

/**
 * List prices of model families in US dollars by the beginning of their names, as published in 2026. They serve to compare
 * policies; a provider's bill may differ.
 */
const families: readonly (readonly [prefix: string, usdPerMillion: number])[] = [
  ["claude-opus", 5],
  ["claude-sonnet", 3],
  ["claude-haiku", 1],
  ["claude", 3],
  ["gpt-5-mini", 0.25],
  ["gpt-5-nano", 0.05],
  ["gpt-5", 1.25],
  ["gpt-4.1", 2],
  ["gpt-4o", 2.5],
  ["o3", 2],
  ["o4-mini", 1.1],
  ["deepseek", 0.28],
  ["gemini", 1.25],
];

/** Prices of a model by its name, with or without the provider before a slash; those of Claude Sonnet where it is unknown. */
export function cachePriceOf(model: string | undefined): CachePrice {
  const name = (model ?? "").toLowerCase().split("/").at(-1) ?? "";
  const found = families.find(([prefix]) => name.startsWith(prefix));
  const [family, usdPerMillion] = found ?? ["claude", 3];
  const write = family.startsWith("claude") ? 1.25 : 1;
  return { read: 0.1, write, minCachedTokens: 1024, usdPerMillion };
}
