import { type ChatMessage, estimatedCounter } from "@ccl/core";
import { ContextCompilerError } from "../context-compiler-error.ts";
import type { FitOptions, PinRule } from "./fit-options.ts";
import { type FitState, requireState } from "./fit-state.ts";
import { createMessageMeter, type MessageMeter } from "./message-meter.ts";
import { safetyMarginOf } from "./safety-margin.ts";
import {
  isFrom,
  requireBudget,
  requireObject,
  requireThat,
  requireTools,
  shown,
} from "./require-that.ts";

/** The checked options of one call, with defaults applied. */
export interface FitPolicy {
  state: FitState | undefined;
  meter: MessageMeter;
  budget: number;
  /** The budget minus the safety margin. */
  usable: number;
  cutTo: number;
  /** A session is cut if it fills more than this share of the usable budget without the required messages. */
  cutAbove: number;
  firstSight: number;
  keptFactsTokens: number;
  isPinned(message: ChatMessage, index: number): boolean;
  restHint: FitOptions["restHint"];
  summaryOf: FitOptions["summaryOf"];
}

/** Settings for each `FitOptions.policy`. For measurements, see the section on sessions in `bench/RESULTS.md`. */
const settings = {
  balanced: { cutTo: 0.6, cutAbove: 1, factsTokens: 1_200 },
  coding: { cutTo: 0.25, cutAbove: 1, factsTokens: 1_800 },
  economy: { cutTo: 0.1, cutAbove: 0.75, factsTokens: 1_200 },
};
const defaultFirstSight = 0.5;

/**
 * Checks the options of one call and applies defaults. Throws `budget_missing`, `invalid_options`, `invalid_messages`.
 */
export function resolvePolicy(messages: unknown, options: FitOptions): FitPolicy {
  if (!Array.isArray(messages)) {
    throw new ContextCompilerError(
      "invalid_messages",
      "`messages` must be an array of chat messages.",
    );
  }
  const input: Partial<FitOptions> = options ?? {};
  const { budget, counter = estimatedCounter, tools = [] } = input;
  requireBudget(budget);
  requireObject("A counter", counter, "count");
  const state = input.state === undefined ? undefined : requireState(input.state);
  const { safetyMargin = safetyMarginOf(counter, state?.usages) } = input;
  const isBudget = isFrom(0, budget) && budget > 0 && budget < Infinity;
  requireThat(isBudget, `A budget is a positive number of tokens, not ${shown(budget)}.`);
  const isMargin = isFrom(0, safetyMargin) && safetyMargin < 1;
  requireThat(isMargin, `A safety margin lies from 0 to below 1, not ${shown(safetyMargin)}.`);
  const usable = usableOf({ budget, counter, safetyMargin });
  const isKept = input.policy !== undefined || state !== undefined;
  const isCoding = isKept && isCodingHistory(messages);
  const profile =
    settings[input.policy === "economy" ? "economy" : isCoding ? "coding" : "balanced"];
  requirePolicy(input);
  // Without a state there may be no further calls, so the cut fills the budget.
  const { cutTo = isKept ? profile.cutTo : 1, firstSight = defaultFirstSight } = input;
  // A sixth of a small budget, or a small share of a large one.
  const facts = Math.max(Math.min(usable / 6, profile.factsTokens), 0.03 * usable);
  const { keptFactsTokens = Math.floor(facts) } = input;
  requireShare("firstSight", firstSight);
  requireThat(
    isFrom(0, keptFactsTokens),
    `keptFactsTokens is at least 0, not ${shown(keptFactsTokens)}.`,
  );
  for (const name of ["restHint", "summaryOf"] as const) {
    const isFunction = input[name] === undefined || typeof input[name] === "function";
    requireThat(isFunction, `${name} is a function, not ${shown(input[name])}.`);
  }
  requireTools(tools);
  return {
    state,
    meter: createMessageMeter(counter, tools),
    budget,
    usable,
    cutTo,
    cutAbove:
      input.isCacheCold === true ? Math.min(profile.cutAbove, (1 + cutTo) / 2) : profile.cutAbove,
    firstSight,
    keptFactsTokens,
    isPinned: pinTest(input.pin),
    restHint: input.restHint,
    summaryOf: input.summaryOf,
  };
}

/** Returns the budget minus the safety margin. */
export function usableOf({
  budget,
  counter = estimatedCounter,
  state,
  safetyMargin = safetyMarginOf(counter, state?.usages),
}: Pick<FitOptions, "budget" | "counter" | "safetyMargin" | "state">): number {
  return Math.floor(budget * (1 - safetyMargin));
}

/** Throws `invalid_options` if `cutTo` is not a valid share or the policy is unknown. */
export function requirePolicy({ cutTo, policy }: Pick<FitOptions, "cutTo" | "policy">): void {
  if (cutTo !== undefined) requireShare("cutTo", cutTo);
  const isKnown = policy === undefined || policy === "balanced" || policy === "economy";
  requireThat(isKnown, `policy is "balanced" or "economy", not ${shown(policy)}.`);
}

function requireShare(name: string, value: unknown): void {
  const isShare = isFrom(0, value) && value <= 1;
  requireThat(isShare, `${name} is a share from 0 to 1, not ${shown(value)}.`);
}

/**
 * Converts any form of pin rule to a test.
 * @throws ContextCompilerError `invalid_options`
 */
export function pinTest(pin: PinRule | undefined): FitPolicy["isPinned"] {
  if (pin === undefined) return () => false;
  if (typeof pin === "function") return pin;
  const isList =
    Array.isArray(pin) && pin.every((entry) => typeof entry === "object" && entry !== null);
  requireThat(
    isList,
    `pin is a function, or a list of messages and of ranges { from, to }, not ${shown(pin)}.`,
  );
  const pinned = new Set<unknown>(pin);
  const ranges = pin.flatMap((entry) => ("from" in entry ? [entry] : []));
  return (message, index) =>
    pinned.has(message) || ranges.some(({ from, to }) => index >= from && index < to);
}

/** Number of latest calls to check. */
const lastCalls = 40;
const fewestCalls = 8;
/** Argument names used by tools that run commands or read and edit files. */
const codingArguments =
  /^\s*\{\s*(?:"description"\s*:\s*"[^"]*"\s*,\s*)?"(?:command|cmd|script|file_path|filename|old_str(?:ing)?|patch)"\s*:/;

/** True if half or more of the latest calls are those of a coding agent. */
export function isCodingHistory(messages: readonly ChatMessage[]): boolean {
  let calls = 0;
  let coding = 0;
  for (let at = messages.length - 1; at >= 0 && calls < lastCalls; at -= 1) {
    for (const { arguments: input } of messages[at]?.toolCalls ?? []) {
      calls += 1;
      if (codingArguments.test(input.slice(0, 500))) coding += 1;
    }
  }
  return calls >= fewestCalls && coding * 2 >= calls;
}
