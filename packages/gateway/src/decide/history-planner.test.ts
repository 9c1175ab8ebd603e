import { estimatedCounter } from "@ccl/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { defaultSizes } from "../audit/audit-transcript.ts";
import type { HistoryItem } from "../history/history-item.ts";
import { cachePriceOf, promptPrice } from "../price/cache-price.ts";
import { HistoryPlanner } from "./history-planner.ts";
import type { Decision, PlanOptions, ShownResult } from "./plan-options.ts";

const price = cachePriceOf("claude-sonnet");
const options: PlanOptions = { mode: "full", counter: estimatedCounter, price, ...defaultSizes };

const logOf = (seed: number, lines: number): string =>
  Array.from(
    { length: lines },
    (_, at) =>
      `10:00:${at % 60} INFO worker ${(at * seed) % 17} took ${(at * seed * 7919) % 9973} ms`,
  ).join("\n");

const user = (text: string): HistoryItem => ({ kind: "user", text });
const question = user(`Which one failed? ${"word ".repeat(900)}`);

function turn(at: number, text: string): HistoryItem[] {
  const callId = `c${at}`;
  return [
    { kind: "call", text: "{}", callId, tool: "logs" },
    { kind: "result", text, callId, tool: "logs" },
  ];
}

/** The prompt as the model reads it. */
const sentTexts = (
  items: readonly HistoryItem[],
  shown: ReadonlyMap<number, ShownResult>,
): string[] => items.map(({ text }, place) => shown.get(place)?.text ?? text);

/** A provider whose cache holds every prompt that it was sent; gives the price of one more. */
function createProvider(): (texts: readonly string[]) => number {
  const prompts: (readonly string[])[] = [];
  const tokensOf = (texts: readonly string[]): number =>
    texts.reduce((sum, text) => sum + estimatedCounter.count(text) + 4, 0);
  return (texts) => {
    const lengths = prompts.map((prompt) => {
      const end = texts.findIndex((text, place) => text !== prompt[place]);
      return end < 0 ? texts.length : end;
    });
    prompts.push(texts);
    const cached = tokensOf(texts.slice(0, Math.max(0, ...lengths)));
    return promptPrice({ cached, fresh: tokensOf(texts) - cached }, price);
  };
}

// Results that go out whole at first leave nothing to pay a cut from.
const lines = fc.oneof(
  { weight: 12, arbitrary: fc.integer({ min: 6, max: 14 }) },
  { weight: 1, arbitrary: fc.integer({ min: 30, max: 60 }) },
);
const callsWhere = (what: "late" | "restart"): fc.Arbitrary<{ lines: number; happens: string }[]> =>
  fc.array(
    fc.record({
      lines,
      happens: fc.oneof(
        { weight: 6, arbitrary: fc.constant("nothing") },
        { weight: 1, arbitrary: fc.constant(what) },
      ),
    }),
    { minLength: 16, maxLength: 30 },
  );

/** Plays the calls to a gateway and to a provider; gives what was saved with each call, and what the planner thinks. */
function* playCalls(calls: readonly { lines: number; happens: string }[]): Generator<{
  saved: number;
  credit: number;
  isCut: boolean;
  isLate: boolean;
}> {
  const [direct, shown] = [createProvider(), createProvider()];
  const items = [question];
  const kept: Decision[] = [];
  let unkept: Decision[] = [];
  let planner = new HistoryPlanner(options);
  let saved = 0;
  for (const [at, { lines: count, happens: what }] of calls.entries()) {
    items.push(...turn(at, logOf(at + 2, count)));
    if (what === "restart" && unkept.length === 0)
      planner = new HistoryPlanner(options, new Map(kept.map((one) => [one.at, one])));
    const plan = planner.plan(items);
    unkept.push(...plan.decisions);
    const isLate = what === "late";
    const out = isLate ? planner.without(new Set(unkept)) : plan.shown;
    if (!isLate) kept.push(...unkept);
    if (!isLate) unkept = [];
    saved += direct(sentTexts(items, new Map())) - shown(sentTexts(items, out));
    const credit = plan.decisions.at(-1)?.credit ?? 0;
    yield { saved, credit, isLate, isCut: plan.call?.cutFrom !== undefined };
  }
}

describe("by a provider's bill", () => {
  it("a session never costs more than without a gateway, whenever it ends, and is cut", () => {
    let cuts = 0;
    fc.assert(
      fc.property(callsWhere("restart"), (calls) => {
        for (const { saved, credit, isCut } of playCalls(calls)) {
          expect(saved).toBeGreaterThan(-1e-6);
          expect(credit).toBeCloseTo(saved);
          if (isCut) cuts += 1;
        }
      }),
      { numRuns: 12, seed: 7 },
    );
    expect(cuts).toBeGreaterThan(0);
  });

  it("a session whose decisions come too late is cut from what was saved in spite of that", () => {
    let cuts = 0;
    fc.assert(
      fc.property(callsWhere("late"), (calls) => {
        for (const { saved, credit, isCut, isLate } of playCalls(calls)) {
          if (isLate) continue;
          expect(credit).toBeLessThan(saved + 1e-6);
          if (isCut) expect(saved).toBeGreaterThan(-1e-6);
          if (isCut) cuts += 1;
        }
      }),
      { numRuns: 12, seed: 7 },
    );
    expect(cuts).toBeGreaterThan(0);
  });
});
