import type { TokenCounter } from "./token-counter.ts";

/** What a provider reported for one text. */
export interface ReportedUsage {
  text: string;
  tokens: number;
}

/**
 * Scales a counter to the tokens that a provider reports: total reported over total counted, so that long texts weigh
 * as much as they cost. Usages without text or with a count that is no positive number are left out; without a usable
 * one the ratio is 1. Rounds up; never exact.
 */
export function calibrateCounter(
  counter: TokenCounter,
  usages: readonly ReportedUsage[],
): TokenCounter {
  const ratio = reportedRatio(counter, usages);
  const scale = (tokens: number): number =>
    tokens === 0 ? 0 : Math.max(1, Math.ceil(tokens * ratio));
  const calibrated: TokenCounter = {
    name: `${counter.name} x ${ratio.toFixed(3)}`,
    isExact: false,
    count: (text) => scale(counter.count(text)),
  };
  const { countMessages } = counter;
  if (countMessages) {
    calibrated.countMessages = (messages, tools) =>
      scale(countMessages.call(counter, messages, tools));
  }
  return calibrated;
}

function reportedRatio(counter: TokenCounter, usages: readonly ReportedUsage[]): number {
  let reported = 0;
  let counted = 0;
  for (const { text, tokens } of usages) {
    if (text === "" || !Number.isFinite(tokens) || tokens <= 0) continue;
    reported += tokens;
    counted += counter.count(text);
  }
  return counted === 0 ? 1 : reported / counted;
}
