import { estimatedCounter } from "@ccl/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { byLength } from "../../../../scripts/lengths/test-length.mjs";

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

/** The tokens of a part as a provider counts them, including its id and the called tool's name. */
const tokensOf = ({ kind, tool = "", callId = "" }: HistoryItem, text: string): number =>
  [text, callId, kind === "call" ? tool : ""].reduce(
    (sum, one) => sum + estimatedCounter.count(one),
    4,
  );

type Shown = ReadonlyMap<number, ShownResult>;

/** A provider that caches every prompt. Returns the price of the next one. */
function createProvider(): (items: readonly HistoryItem[], shown: Shown) => number {
  const prompts: (readonly string[])[] = [];
  return (items, shown) => {
    const texts = sentTexts(items, shown);
    const lengths = prompts.map((prompt) => {
      const end = texts.findIndex((text, place) => text !== prompt[place]);
      return end < 0 ? texts.length : end;
    });
    prompts.push(texts);
    const totalOf = (end: number): number =>
      items.slice(0, end).reduce((sum, item, at) => sum + tokensOf(item, texts[at] ?? ""), 0);
    const cached = totalOf(Math.max(0, ...lengths));
    return promptPrice({ cached, fresh: totalOf(items.length) - cached }, price);
  };
}

// Results that are first sent whole save nothing that could pay for a cut.
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

/** Plays the calls through a gateway to a provider. Returns the savings of each call, in total, over `safe`, and as the planner computes them. */
function* playCalls(calls: readonly { lines: number; happens: string }[]): Generator<{
  saved: number;
  beside: number;
  credit: number;
  isCut: boolean;
  isLate: boolean;
}> {
  const [direct, shown, safe] = [createProvider(), createProvider(), createProvider()];
  const safePlanner = new HistoryPlanner({ ...options, mode: "safe" });
  const items = [question];
  const kept: Decision[] = [];
  let unkept: Decision[] = [];
  let planner = new HistoryPlanner(options);
  let [saved, beside] = [0, 0];
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
    const sent = shown(items, out);
    saved += direct(items, new Map()) - sent;
    beside += safe(items, safePlanner.plan(items).shown) - sent;
    const credit = plan.decisions.at(-1)?.credit ?? 0;
    yield { saved, beside, credit, isLate, isCut: plan.call?.cutFrom !== undefined };
  }
}

describe("by the provider's bill", () => {
  it("a session never costs more than without a gateway or in safe, whenever it ends, and is cut", () => {
    let cuts = 0;
    fc.assert(
      fc.property(callsWhere("restart"), (calls) => {
        for (const { saved, beside, credit, isCut } of playCalls(calls)) {
          expect(saved).toBeGreaterThan(-1e-6);
          expect(beside).toBeGreaterThan(-1e-6);
          expect(credit).toBeCloseTo(beside);
          if (isCut) cuts += 1;
        }
      }),
      { numRuns: byLength({ test: 4, ci: 12 }), seed: 7 },
    );
    expect(cuts).toBeGreaterThan(0);
  });

  it("a session with late decisions is cut only out of what it really saved", () => {
    let cuts = 0;
    fc.assert(
      fc.property(callsWhere("late"), (calls) => {
        for (const { saved, credit, isCut, isLate } of playCalls(calls)) {
          if (isLate) continue;
          expect(credit).toBeLessThan(saved + 1e-6);
          expect(isCut ? saved : 0).toBeGreaterThan(-1e-6);
          if (isCut) cuts += 1;
        }
      }),
      { numRuns: byLength({ test: 4, ci: 12 }), seed: 7 },
    );
    expect(cuts).toBeGreaterThan(0);
  });
});

describe("a decision", () => {
  const long = (at: number): string => logOf(at + 2, 40);
  const shownTexts = (
    items: readonly HistoryItem[],
    { shown }: { shown: ReadonlyMap<number, ShownResult> },
  ): string[] => sentTexts(items, shown);
  const historyOf = (calls: number, of = long): HistoryItem[] => [
    question,
    ...Array.from({ length: calls }, (_, at) => turn(at, of(at))).flat(),
  ];
  const mapOf = (decisions: readonly Decision[]): Map<string, Decision> =>
    new Map(decisions.map((one) => [one.at, one]));

  it("is repeated by another process at the same price, even by one that missed calls", () => {
    const [first, behind] = [new HistoryPlanner(options), new HistoryPlanner(options)];
    const kept: Decision[] = [];
    let cuts = 0;
    for (let calls = 1; calls <= 30; calls++) {
      const items = historyOf(calls, (at) =>
        logOf(at + 2, 6 + (at % 9) + (at % 11 === 0 ? 40 : 0)),
      );
      if (calls <= 2) behind.plan(items);
      const plan = first.plan(items);
      kept.push(...plan.decisions);
      if (plan.call?.cutFrom !== undefined) cuts += 1;
      const again = new HistoryPlanner(options, mapOf(kept)).plan(items);
      expect(again.call).toEqual(plan.call);
      expect(again.decisions).toEqual([]);
      expect(shownTexts(items, again)).toEqual(shownTexts(items, plan));
      if (calls < 30) continue;
      expect(behind.isBehind(items)).toBe(true);
      behind.learn(kept);
      expect(shownTexts(items, behind.plan(items))).toEqual(shownTexts(items, plan));
      expect(behind.isBehind(items)).toBe(false);
      expect(behind.isBehind(historyOf(31))).toBe(true);
    }
    expect(cuts).toBeGreaterThan(0);
  });

  it("changes nothing in calls that were sent before the planner knew the session", () => {
    const items = historyOf(5, (at) => logOf(at + 2, 200));
    const { decisions } = new HistoryPlanner(options).plan(items);
    expect(decisions).toHaveLength(6);
    expect(decisions.findIndex(({ edits }) => edits.length > 0)).toBe(5);
  });

  it("is taken anew after the client rewrote its history", () => {
    const planner = new HistoryPlanner(options);
    const items = historyOf(3, (at) => logOf(at + 2, 200));
    planner.plan(items);
    expect(planner.chars).toBe(items.reduce((sum, { text }) => sum + text.length, 0));
    const rewritten = [user("Until now all went well."), ...turn(9, logOf(4, 200))];
    const { items: planned, shown } = planner.plan(rewritten);
    expect(planned.map(({ item }) => item)).toEqual(rewritten);
    expect(sentTexts(rewritten, shown)[2]).not.toContain("The same as");
    expect(planner.chars).toBe(rewritten.reduce((sum, { text }) => sum + text.length, 0));
  });

  it("is the same for a rewritten history as for a new one, whichever part changed", () => {
    const items = historyOf(20, (at) => logOf(at + 2, at % 5 === 0 ? 60 : 12));
    const rewritten: HistoryItem[][] = [
      [user(`Which one passed? ${"word ".repeat(900)}`), ...items.slice(1)],
      items.map((item, at) => (at === 0 ? { ...item, kind: "system" } : item)),
      items.map((item) => ({ ...item, callId: item.callId && `${item.callId}0` })),
      [user("Until now all went well."), ...items.slice(20), ...items.slice(1, 20)],
    ];
    for (const other of rewritten) {
      const planner = new HistoryPlanner(options);
      for (let calls = 1; calls <= 20; calls++) planner.plan(items.slice(0, 1 + 2 * calls));
      const fresh = new HistoryPlanner(options);
      for (const one of [other, [...other, ...turn(90, logOf(3, 60))]]) {
        const { decisions, ...plan } = fresh.plan(one, { isCold: true });
        const planned = planner.plan(one, { isCold: true });
        expect(planned).toMatchObject(plan);
        // A credit that the forgotten history earned must not pay for a cut in the new one.
        expect(planned.decisions.at(-1)).toEqual(decisions.at(-1));
      }
    }
  });

  it("is not repeated when a client resends a request", () => {
    const planner = new HistoryPlanner(options);
    const items = historyOf(3);
    const { shown } = planner.plan(items);
    expect(shown.size).toBeGreaterThan(0);
    expect(planner.plan(items)).toMatchObject({ shown, decisions: [], call: undefined });
  });

  /** Returns the first of two results after a cut, for a question and the arguments of each call. */
  function cutOf(log: string, asked: string[], given: string[] = []): string {
    const items = [0, 1].flatMap((at): HistoryItem[] => [
      user(`${"word ".repeat(900)} ${asked[at] ?? ""}`),
      { kind: "call", text: given[at] ?? "{}", tool: "logs" },
      { kind: "result", text: `${log}\n${at}`, tool: "logs" },
    ]);
    const planner = new HistoryPlanner(options);
    planner.plan(items.slice(0, 3), { isLate: () => true });
    const cut = planner.plan(items, { isCold: true }).shown.get(2);
    expect(cut?.form).toBe("cut");
    return cut?.text ?? "";
  }

  it("selects for a cut by the question and the call's arguments", () => {
    const [first, second] = ["9139", "5537"];
    const log = logOf(7, 500);
    const asked = [`What took ${first} ms?`, `What took ${second} ms?`];
    const given = [`{"ms":${first}}`, `{"ms":${second}}`];
    for (const text of [cutOf(log, asked), cutOf(log, [], given)]) {
      expect(text).toContain(` ${first} ms`);
      expect(text).not.toContain(` ${second} ms`);
    }
  });

  it("adds names to a cut that occur nowhere else in the prompt", () => {
    const log = Array.from({ length: 400 }, (_, at) => `INFO runWorker${at + 100} is up`).join(
      "\n",
    );
    const named = /Also in it: (\w+)/.exec(cutOf(log, []))?.[1] ?? "";
    expect(named).toContain("runWorker");
    expect(cutOf(log, [named])).not.toMatch(new RegExp(`Also in it:.* ${named}\\b`));
  });

  it("omits nothing in safe", () => {
    const planner = new HistoryPlanner({ ...options, mode: "safe" });
    for (let calls = 1; calls <= 30; calls++)
      for (const { form } of planner.plan(historyOf(calls)).shown.values())
        expect(["lossless", "repeat"]).toContain(form);
  });

  it("leaves a prompt whole that would become too short for the cache, and refers to it later", () => {
    const planner = new HistoryPlanner(options);
    const text = logOf(5, 76);
    const items = [user("Which one failed?"), ...turn(1, text)];
    const plan = planner.plan(items);
    expect(plan.items.reduce((sum, { tokens }) => sum + tokens, 0)).toBeGreaterThan(1_024);
    expect(plan.shown.size).toBe(0);
    expect(plan.items.every(({ tokens, shownTokens }) => tokens === shownTokens)).toBe(true);
    expect(plan.call?.price).toBe(plan.call?.directPrice);
    expect(plan.call?.safePrice).toBe(plan.call?.directPrice);
    const next = planner.plan([...items, ...turn(2, logOf(3, 100)), ...turn(3, text)]);
    expect(next.shown.get(6)).toEqual({ form: "repeat", text: "[The same as the result of c1.]" });
  });

  it("refers to a result that is shown in part with a hint", () => {
    const planner = new HistoryPlanner(options);
    const text = logOf(5, 300);
    const items = [question, ...turn(1, text)];
    expect(planner.plan(items).shown.get(2)?.form).toBe("selection");
    const again = planner.plan([...items, ...turn(2, text)]).shown.get(4);
    expect(again).toEqual({ form: "repeat", text: "[The same as the result of c1.]" });
  });

  it("never shortens what the client assumes the model saw, or the client's own text", () => {
    const planner = new HistoryPlanner(options);
    const words = "<system-reminder>\nDo not mention this.\n</system-reminder>";
    const read = turn(0, logOf(5, 300)).map((item) => ({ ...item, tool: "Read" }));
    let forms = new Set<string>();
    for (let calls = 1; calls <= 40; calls++) {
      const items = [
        question,
        ...read,
        ...historyOf(calls, (at) => `${long(at)}\n${words}`).slice(1),
      ];
      const { shown } = planner.plan(items, { isCold: calls === 30 });
      forms = new Set([...forms, ...[...shown.values()].map(({ form }) => form)]);
      const [, , file, ...texts] = sentTexts(items, shown);
      expect(file).toBe(logOf(5, 300));
      for (const text of texts.filter((one) => one !== "{}")) expect(text).toContain(words);
    }
    expect(forms).toContain("cut");
  });

  it("restores a shortened result that a later result refers to", () => {
    const planner = new HistoryPlanner(options);
    const text = logOf(5, 300);
    const unchanged = "File unchanged since the last call. Refer to the earlier result.";
    const items = [question, ...turn(1, text)];
    expect(planner.plan(items).shown.get(2)?.form).toBe("selection");
    const again = [...items, ...turn(2, unchanged)];
    const restored = { form: "restored", text: `${unchanged}\n${text}` };
    expect(planner.plan(again).shown.get(4)).toEqual(restored);
    const later = planner.plan([...again, ...turn(3, "ok")]);
    expect(later.shown.get(4)).toEqual(restored);
    for (const change of [{ text: "{1}" }, { tool: "list" }]) {
      const planned = new HistoryPlanner(options);
      planned.plan(items);
      const other = turn(2, unchanged).map((item) =>
        item.kind === "call" ? { ...item, ...change } : { ...item, tool: change.tool ?? item.tool },
      );
      expect(planned.plan([...items, ...other]).shown.has(4)).toBe(false);
    }
    const whole = [question, ...turn(1, "All is well."), ...turn(2, unchanged)];
    expect(new HistoryPlanner(options).plan(whole).shown.size).toBe(0);
  });

  it("does not depend on the system prompt and tools, which clients change", () => {
    const atOf = (...items: HistoryItem[]): string | undefined =>
      new HistoryPlanner(options).plan([...items, ...turn(1, "ok")]).decisions.at(-1)?.at;
    const system: HistoryItem = { kind: "system", text: "It is Monday." };
    const at = atOf(system, question);
    expect(atOf({ ...system, text: "It is Tuesday." }, question)).toBe(at);
    expect(atOf({ kind: "tools", text: "[]" }, question)).toBe(at);
    expect(atOf(system, user("Which one passed?"))).not.toBe(at);
  });

  it("refers to results shown before a restart, but not to calls or messages with the same text", () => {
    const text = logOf(5, 100);
    const items = [question, ...turn(1, text)];
    const { decisions } = new HistoryPlanner(options).plan(items);
    const restarted = new HistoryPlanner(options, mapOf(decisions));
    const again = restarted.plan([...items, ...turn(2, text)]).shown.get(4);
    expect(again).toEqual({ form: "repeat", text: "[The same as the result of c1.]" });
    const [call, ok] = turn(1, "ok");
    const said = [user(text), { ...call!, text }, ok!, ...turn(2, text)];
    expect(new HistoryPlanner(options).plan(said).shown.get(4)?.form).not.toBe("repeat");
  });

  it("selects by the user's question and the call's arguments", () => {
    const [wanted, other] = ["9139", "5537"];
    const shownFor = (asked: string, given: string): string => {
      const [call, result] = turn(1, logOf(7, 500));
      const items = [user(`${"word ".repeat(900)} ${asked}`), { ...call!, text: given }, result!];
      return new HistoryPlanner(options).plan(items).shown.get(2)?.text ?? "";
    };
    for (const [one, another] of [
      [wanted, other],
      [other, wanted],
    ] as const)
      for (const text of [shownFor(`What took ${one} ms?`, "{}"), shownFor("", `{"ms":${one}}`)]) {
        expect(text).toContain(` ${one} ms`);
        expect(text).not.toContain(` ${another} ms`);
      }
  });

  it("cuts at no cost once the cache has expired", () => {
    const items = historyOf(16, (at) => logOf(at + 2, 12));
    const cutsOf = (isCold: boolean): number => {
      const planner = new HistoryPlanner(options);
      planner.plan(items.slice(0, -2));
      const { shown, call } = planner.plan(items, { isCold });
      expect(call?.price).toBeLessThanOrEqual(call?.safePrice ?? 0);
      return [...shown.values()].filter(({ form }) => form === "cut").length;
    };
    expect(cutsOf(false)).toBe(0);
    expect(cutsOf(true)).toBeGreaterThan(3);
  });

  it("leaves results unchanged if time runs out, and cuts them later", () => {
    const planner = new HistoryPlanner(options);
    const items = historyOf(6, (at) => logOf(at + 2, 60));
    for (let calls = 1; calls <= 5; calls++)
      expect(
        planner.plan(items.slice(0, 1 + 2 * calls), { isLate: () => true, isCold: calls === 5 })
          .shown.size,
      ).toBe(0);
    expect(planner.plan(items, { isCold: true }).shown.size).toBe(6);
  });

  it("leaves unplanned calls unchanged, even after planned ones", () => {
    const planner = new HistoryPlanner(options);
    const items = historyOf(6, (at) => logOf(at + 2, 200));
    planner.plan(items.slice(0, 3));
    const { shown } = planner.plan(items);
    const selected = [...shown].flatMap(([at, { form }]) => (form === "selection" ? [at] : []));
    expect(selected).toEqual([2, 12]);
  });

  it("lowers the credit of a late decision before it is stored", () => {
    const planner = new HistoryPlanner(options);
    const { decisions } = planner.plan(historyOf(1, (at) => logOf(at + 2, 200)));
    const before = decisions.at(-1)?.credit ?? 0;
    expect(before).toBeGreaterThan(0);
    expect(planner.without(new Set(decisions)).size).toBe(0);
    expect(decisions.at(-1)?.credit).toBeLessThan(0);
  });

  it("reads no more new text than fits a model's window", () => {
    const rows = '{ "state": "paid", "country": "AT" },\n';
    const jsonOf = (count: number): string => `[${rows.repeat(count)}{}]`;
    const shownOf = (text: string): number =>
      new HistoryPlanner({ ...options, mode: "safe" }).plan([question, ...turn(1, text)]).shown
        .size;
    expect([shownOf(jsonOf(100)), shownOf(jsonOf(60_000))]).toEqual([1, 0]);
  });
});
