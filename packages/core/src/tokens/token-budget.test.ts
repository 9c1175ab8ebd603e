import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { estimatedCounter } from "./estimated-counter.ts";
import { TokenBudget, type TokenBudgetOptions } from "./token-budget.ts";
import { TokenBudgetError } from "./token-budget-error.ts";

function caught(run: () => unknown): TokenBudgetError {
  try {
    run();
  } catch (error) {
    if (TokenBudgetError.isInstance(error)) return error;
    throw error;
  }
  throw new Error("nothing was thrown");
}

describe("TokenBudget", () => {
  it.each<[what: string, options: TokenBudgetOptions, usable: number]>([
    ["all tokens without a counter", { total: 1_000 }, 1_000],
    [
      "all tokens with an exact counter",
      { total: 1_000, counter: { name: "x", isExact: true, count: () => 1 } },
      1_000,
    ],
    ["nine tenths with an estimate", { total: 1_001, counter: estimatedCounter }, 900],
    [
      "what a given margin leaves",
      { total: 1_000, counter: estimatedCounter, safetyMargin: 0.25 },
      750,
    ],
  ])("allows %s to be used", (_what, options, usable) => {
    expect(new TokenBudget(options).usable).toBe(usable);
  });

  it("spends a section's reserve first, then unreserved tokens", () => {
    const budget = new TokenBudget({ total: 100 });
    budget.reserve("reply", 40);
    budget.spend("prompt", 50);
    expect(budget.remaining("reply")).toBe(50);
    expect(budget.remaining("prompt")).toBe(10);
    budget.spend("reply", 45);
    expect(budget.remaining()).toBe(5);
    expect(budget.breakdown()).toEqual({
      total: 100,
      usable: 100,
      spent: 95,
      free: 5,
      sections: { reply: { reserved: 40, spent: 45 }, prompt: { reserved: 0, spent: 50 } },
    });
  });

  it("rejects what exceeds the rest, with the breakdown, and stays unchanged", () => {
    const budget = new TokenBudget({ total: 10 });
    budget.spend("a", 8);
    const before = budget.breakdown();
    const error = caught(() => budget.spend("b", 3));
    expect(error).toMatchObject({ code: "budget_exceeded", details: before });
    expect(error.message).toBe(
      '"b" needs 3 tokens and 2 are left of 10; shorten it or raise the budget.',
    );
    expect(caught(() => budget.reserve("b", 3)).code).toBe("budget_exceeded");
    expect(budget.breakdown()).toEqual(before);
  });

  it.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY])("rejects a total of %s", (total) => {
    expect(caught(() => new TokenBudget({ total })).code).toBe("invalid_budget");
  });

  it("accepts a total of one token", () => {
    expect(new TokenBudget({ total: 1 }).remaining()).toBe(1);
  });

  it.each([-0.1, 1, Number.NaN])("rejects a safety margin of %s", (safetyMargin) => {
    expect(caught(() => new TokenBudget({ total: 1, safetyMargin })).code).toBe("invalid_budget");
  });

  it.each([-1, 0.5, Number.NaN])("rejects spending or reserving %s tokens", (tokens) => {
    const budget = new TokenBudget({ total: 10 });
    expect(caught(() => budget.spend("a", tokens)).code).toBe("invalid_budget");
    expect(caught(() => budget.reserve("a", tokens)).code).toBe("invalid_budget");
  });

  it("supports sections named like members of Object.prototype", () => {
    const budget = new TokenBudget({ total: 10 });
    budget.spend("__proto__", 4);
    expect(Object.entries(budget.breakdown().sections)).toEqual([
      ["__proto__", { reserved: 0, spent: 4 }],
    ]);
  });

  it("is never overspent and honours every reserve, whatever the calls", () => {
    const call = fc.record({
      kind: fc.constantFrom("spend", "reserve"),
      section: fc.constantFrom("a", "b", "c"),
      tokens: fc.nat({ max: 60 }),
    });
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 200 }),
        fc.double({ min: 0, max: 0.9, noNaN: true }),
        fc.array(call),
        (total, safetyMargin, calls) => {
          const budget = new TokenBudget({ total, safetyMargin });
          for (const { kind, section, tokens } of calls) {
            const left = kind === "spend" ? budget.remaining(section) : budget.remaining();
            const run = (): void =>
              kind === "spend" ? budget.spend(section, tokens) : budget.reserve(section, tokens);
            const code = tokens > left ? caught(run).code : run();
            expect(code).toBe(tokens > left ? "budget_exceeded" : undefined);
            const { sections, spent, free, usable } = budget.breakdown();
            const held = Object.values(sections).reduce(
              (sum, { reserved, spent }) => sum + Math.max(reserved, spent),
              0,
            );
            expect(held + free).toBe(usable);
            expect(free).toBeGreaterThanOrEqual(0);
            expect(spent).toBeLessThanOrEqual(Math.floor(total * (1 - safetyMargin)));
          }
        },
      ),
    );
  });
});
