import type { ModelUsage } from "@ccl/core";

import type { ModelPrice } from "./kind-options.ts";
import { OperationError } from "./operation-error.ts";

const million = 1_000_000;

/** Returns the price of a model. Undefined if it is not listed. */
export function priceOf(
  prices: Readonly<Record<string, ModelPrice>>,
  { providerRef, model }: { providerRef: string; model: string },
): ModelPrice | undefined {
  const key = [`${providerRef}/${model}`, model].find((name) => Object.hasOwn(prices, name));
  return key === undefined ? undefined : prices[key];
}

/** Returns the cost of a call, as reported by the provider or from the price list. Undefined if neither is known. */
export function costOf(usage: ModelUsage, price: ModelPrice | undefined): number | undefined {
  if (usage.costUsd !== undefined || price === undefined) return usage.costUsd;
  return (
    (usage.inputTokens * price.inputUsdPerMillion +
      usage.outputTokens * price.outputUsdPerMillion) /
    million
  );
}

/** The limits of one attempt. */
export interface CostLimit {
  /** The rest of the budget. */
  leftUsd: number;
  price: ModelPrice | undefined;
  /** Counted tokens, including the margin of an estimate. */
  inputTokens: number;
  maxOutputTokens: number | undefined;
}

/** Longer than the answer of any model. A higher limit has no effect, and some providers refuse it. */
const longestAnswerTokens = 128_000;

/**
 * Returns the token limit for the answer. Undefined if the budget covers any length. Throws `budget_exceeded` if the
 * input alone, or the longest answer, costs too much.
 */
export function affordableOutput({
  leftUsd,
  price,
  inputTokens,
  maxOutputTokens,
}: CostLimit): number | undefined {
  if (price === undefined) {
    const message =
      "A budget in dollars needs a price of the model; give one to createBuiltinOperations as one of its prices.";
    throw new OperationError("budget_exceeded", message, { details: { leftUsd } });
  }
  const inputUsd = (inputTokens * price.inputUsdPerMillion) / million;
  const affordable =
    price.outputUsdPerMillion === 0
      ? Number.MAX_SAFE_INTEGER
      : Math.floor(((leftUsd - inputUsd) * million) / price.outputUsdPerMillion);
  const wanted = maxOutputTokens ?? Math.max(1, affordable);
  if (inputUsd <= leftUsd && wanted <= affordable)
    return maxOutputTokens ?? (affordable < longestAnswerTokens ? affordable : undefined);
  const outputUsd = (wanted * price.outputUsdPerMillion) / million;
  const message = `The call may cost ${inputUsd + outputUsd} USD where ${leftUsd} USD are left of its budget.`;
  throw new OperationError("budget_exceeded", message, {
    details: { leftUsd, inputUsd, outputUsd, inputTokens },
  });
}
