import type { TokenCounter } from "@ccl/core";

/** A prompt's tokens, as counted by the counter and by the provider. */
export interface CountedUsage {
  counter: string;
  countedTokens: number;
  /** 0 until the provider reports it. */
  inputTokens: number;
}

/** Number of reported usages from which the margin is computed. */
export const keptUsages = 8;
/** A provider that adds its own prompt reports far more tokens than a short prompt has. */
const maxRatio = 2;
const estimateMargin = 0.1;

/**
 * Returns the share of a budget to hold back: 0 with an exact counter, a tenth with an estimate.
 * For an estimate, the provider's reports for the last calls adjust the share.
 */
export function safetyMarginOf(
  { name, isExact }: TokenCounter,
  usages: readonly CountedUsage[] = [],
): number {
  if (isExact) return 0;
  const isOwn = (usage: CountedUsage): boolean => usage.counter === name && usage.inputTokens > 0;
  const ratio = reportedRatio(usages.filter(isOwn).slice(-keptUsages));
  if (ratio === undefined) return estimateMargin;
  const margin = 1 - (1 - estimateMargin) / ratio;
  return Math.max(0, Math.ceil(margin * 100 - 1e-6) / 100);
}

/**
 * Returns the ratio of the provider's tokens to counted tokens, up to 2. Undefined if nothing was
 * counted.
 */
export function reportedRatio(
  usages: readonly Omit<CountedUsage, "counter">[],
): number | undefined {
  const counted = usages.reduce((sum, { countedTokens }) => sum + countedTokens, 0);
  const reported = usages.reduce((sum, { inputTokens }) => sum + inputTokens, 0);
  return counted === 0 ? undefined : Math.min(maxRatio, reported / counted);
}
