import { estimatedCounter } from "@ccl/core";

import { ContextCompilerError } from "../context-compiler-error.ts";
import type { FitOptions } from "./fit-messages.ts";
import type { FitPolicy } from "./fit-policy.ts";
import { createMessageMeter } from "./message-meter.ts";
import { isFrom, requireObject, requireThat, requireTools, shown } from "./require-that.ts";

/** Measured on long service and coding sessions; see the section on the context compiler in `bench/RESULTS.md`. */
const defaults = { low: 0.1, high: 0.88, compactAboveTokens: 100 };

/** A sixth of a small budget, and a small share of a large one. */
const factsTokens = (usable: number): number =>
  Math.floor(Math.max(Math.min(usable / 6, 1_200), 0.03 * usable));

/** Checks the options of one call and fills them in. Throws `budget_missing`, `invalid_options`, `invalid_messages`. */
export function resolvePolicy(messages: unknown, options: FitOptions): FitPolicy {
  if (!Array.isArray(messages)) {
    throw new ContextCompilerError(
      "invalid_messages",
      "The messages to fit are a list of chat messages.",
    );
  }
  const given: Partial<FitOptions> = options ?? {};
  const { budget, counter = estimatedCounter } = given;
  if (budget === undefined || budget === null) {
    const text =
      "A budget in tokens is missing; choose one, since there is no default: what the model takes, or less.";
    throw new ContextCompilerError("budget_missing", text);
  }
  requireObject("A counter", counter, "count");
  const { safetyMargin = counter.isExact ? 0 : 0.1, watermarks = {}, tools = [] } = given;
  requireObject("watermarks", watermarks);
  const { low = defaults.low, high = defaults.high } = watermarks;
  const { compactAboveTokens = defaults.compactAboveTokens } = given;
  const isBudget = isFrom(0, budget) && budget > 0 && budget < Infinity;
  requireThat(isBudget, `A budget is a positive number of tokens, not ${shown(budget)}.`);
  const isMargin = isFrom(0, safetyMargin) && safetyMargin < 1;
  requireThat(isMargin, `A safety margin lies from 0 to below 1, not ${shown(safetyMargin)}.`);
  requireThat(
    isFrom(0, low) && isFrom(low, high) && high <= 1,
    `Watermarks are shares with low <= high <= 1, not ${shown(low)} and ${shown(high)}.`,
  );
  const usable = Math.floor(budget * (1 - safetyMargin));
  const { keptFactsTokens = factsTokens(usable) } = given;
  requireThat(
    isFrom(0, compactAboveTokens),
    `compactAboveTokens is at least 0, not ${shown(compactAboveTokens)}.`,
  );
  requireThat(
    isFrom(0, keptFactsTokens),
    `keptFactsTokens is at least 0, not ${shown(keptFactsTokens)}.`,
  );
  for (const name of ["pin", "restHint", "summaryOf"] as const) {
    const isFunction =
      (given[name] ?? undefined) === undefined || typeof given[name] === "function";
    requireThat(isFunction, `${name} is a function, not ${shown(given[name])}.`);
  }
  requireTools(tools);
  return {
    meter: createMessageMeter(counter, tools),
    budget,
    usable,
    high,
    low,
    compactAboveTokens,
    keptFactsTokens,
    pin: given.pin,
    restHint: given.restHint,
    summaryOf: given.summaryOf,
  };
}
