import type { TokenCounter } from "@ccl/core";

/** What a counter counted of a prompt, and what the provider reported of it. */
export interface CountedUsage {
  counter: string;
  countedTokens: number;
  /** 0 until it is reported. */
  inputTokens: number;
}

/** Of how many prompts it is kept what was reported. */
export const keptUsages = 8;
/** A provider that adds a prompt of its own reports many times what a short prompt takes. */
const maxRatio = 2;
const estimateMargin = 0.1;

/**
 * The share of a budget to keep back under a counter: a tenth under an estimate, which grows and shrinks as the last calls
 * were reported above or below what was counted; nothing under an exact counter.
 */
export function safetyMarginOf(
  { name, isExact }: TokenCounter,
  usages: readonly CountedUsage[] = [],
): number {
  if (isExact) return 0;
  const isOwn = (usage: CountedUsage): boolean => usage.counter === name && usage.inputTokens > 0;
  const own = usages.filter(isOwn).slice(-keptUsages);
  const counted = own.reduce((sum, { countedTokens }) => sum + countedTokens, 0);
  const reported = own.reduce((sum, { inputTokens }) => sum + inputTokens, 0);
  if (counted === 0) return estimateMargin;
  const ratio = Math.min(maxRatio, reported / counted);
  const margin = 1 - (1 - estimateMargin) / ratio;
  return Math.max(0, Math.ceil(margin * 100 - 1e-6) / 100);
}
