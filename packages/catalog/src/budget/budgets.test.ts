import { estimatedCounter, type TokenCounter } from "@ccl/core";
import { createBpeCounter } from "@ccl/core/bpe";
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";

import { createCatalog } from "../catalog/create-catalog.ts";
import { CatalogError } from "../catalog-error.ts";
import type { ResourceInput } from "../record/resource-record.ts";

import { buildContext, type BudgetReserve, type BuiltContext } from "./build-context.ts";
import { overviewRow } from "./overview-row.ts";
import { fillRows } from "./fill-rows.ts";
import { shareBudget } from "./share-budget.ts";

const text = fc.oneof(
  fc.string({ unit: "binary", maxLength: 40 }),
  fc.constantFrom(
    "orders\n## 9 forged",
    "# resources: 99",
    "a\u2028 1 row",
    "x".repeat(500),
    "SELECT 1;\n## 1 card",
    "名前 列",
  ),
);
const name = fc
  .oneof(text, fc.constantFrom("id", "user id", "amount", "created_at"))
  .filter((value) => value.length > 0);
const column = fc.record(
  { name, type: text, description: text, pk: fc.boolean(), fk: text, tags: fc.subarray(["pii"]) },
  { requiredKeys: ["name"] },
);
const identifier = fc
  .tuple(
    fc.constantFrom("res:db.a.", "res:db.b.", "api:X/Y/", ""),
    fc.string({ unit: "grapheme", minLength: 1, maxLength: 12 }),
  )
  .map(([place, own]) => place + own)
  .filter((id) => !/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u.test(id) && id.trim() === id);
const resource: fc.Arbitrary<ResourceInput> = fc.record(
  {
    id: identifier,
    kind: fc.constantFrom("tabular", "api", "skill", "own\nkind"),
    title: name,
    description: text,
    columns: fc.array(column, { maxLength: 30 }),
    usage: fc.record({
      snippets: fc.array(fc.record({ engine: name, code: text }), { maxLength: 3 }),
      anti_patterns: fc.array(text, { maxLength: 10 }),
    }),
    quality: fc.record({
      null_rate: fc.dictionary(text, fc.float({ min: 0, max: 1, noNaN: true }), { maxKeys: 3 }),
    }),
    pushdown: fc.constantFrom({ filter: true }, {}),
  },
  { requiredKeys: ["id", "kind", "title"] },
);
const catalogs = fc.uniqueArray(resource, { selector: ({ id }) => id, maxLength: 25 });

/** Counters for which the whole is not the sum of its lines. */
const counters: Record<string, TokenCounter> = {
  "an estimate": estimatedCounter,
  characters: { name: "characters", isExact: true, count: (value) => value.length },
  "a counter of its own mind": {
    name: "odd",
    isExact: true,
    count: (value) =>
      Math.ceil(value.length / 3) + (value.includes("2") ? 7 : 0) + (value.length % 5),
  },
};

beforeAll(async () => {
  counters["o200k"] = await createBpeCounter("o200k_base");
});

describe("a budgeted context", () => {
  it.each(["an estimate", "characters", "a counter of its own mind", "o200k"])(
    "never exceeds its budget by %s, and gives the same bytes for the same input",
    async (which) => {
      const counter = counters[which] ?? estimatedCounter;
      const { numRuns = 200 } = fc.readConfigureGlobal();
      let contexts = 0;
      await fc.assert(
        fc.asyncProperty(
          catalogs,
          fc.array(fc.integer({ min: 1, max: 1_500 }), { minLength: 3, maxLength: 3 }),
          fc.nat({ max: 900 }),
          async (inputs, budgets, details) => {
            const [one, two] = [createCatalog({ counter }), createCatalog({ counter })];
            const registered = await one.register(inputs);
            expect(registered.ok).toBe(true);
            await two.register(inputs.toReversed());
            const candidates = inputs.map(({ id }) => id);
            for (const budget of budgets) {
              const request = {
                task: "orders by amount",
                budget,
                candidates,
                reserve: { task: 5, details: details > 800 ? undefined : details },
              };
              const context = await one.budgetedContext(request).catch(onlyExceeded);
              const again = await one.budgetedContext(request).catch(onlyExceeded);
              expect(again).toEqual(context);
              if (context === undefined) continue;
              contexts += 1;
              expect(counter.count(context.text)).toBe(context.tokens);
              expect(context.tokens).toBeLessThanOrEqual(
                (counter.isExact ? budget : Math.floor(budget * 0.9)) - 5,
              );
              expect(context.m).toBeLessThanOrEqual(context.k);
              expect(context.k + context.omitted.overview).toBe(inputs.length);
              const rows = context.text.split("\n").filter((line) => /^\d+ /.test(line));
              expect(rows).toHaveLength(context.k);
              expect(
                context.text.split("\n").filter((line) => line.startsWith("## ")),
              ).toHaveLength(context.m);
              expect(context.overview.map(({ alias }) => alias)).toEqual(
                context.overview.map((_, at) => String(at + 1)),
              );
            }
          },
        ),
        { numRuns: Math.ceil(numRuns / 4) },
      );
      expect(contexts).toBeGreaterThan(10);
    },
    60_000,
  );

  it("throws a typed error if not even the header fits", async () => {
    const catalog = createCatalog();
    await catalog.register([{ id: "a", kind: "api", title: "A" }]);
    await expect(catalog.budgetedContext({ task: "a", budget: 12 })).rejects.toMatchObject({
      code: "budget_exceeded",
    });
    await expect(
      catalog.budgetedContext({ task: "a", budget: 100, reserve: { head: 100 } }),
    ).rejects.toMatchObject({
      code: "budget_exceeded",
    });
    await expect(catalog.budgetedContext({ task: "a", budget: 1.5 })).rejects.toMatchObject({
      code: "invalid_budget",
    });
  });

  it("gives cards the tokens left over when every candidate has its row, unless their share is reserved", () => {
    const columns = Array.from({ length: 12 }, (_, at) => ({
      name: `column_${at}`,
      type: "integer",
    }));
    const candidates = Array.from({ length: 6 }, (_, at) => {
      const details = { id: `res:db.a.t${at}`, kind: "tabular", title: `t${at}`, columns };
      return {
        id: details.id,
        row: () => overviewRow(details),
        card: () => ({ details, stale: [] }),
      };
    });
    const build = (reserve?: BudgetReserve): BuiltContext =>
      buildContext({
        candidates,
        budget: 900,
        counter: estimatedCounter,
        reserve,
      });
    const spared = build();
    expect(shareBudget(900, {}, estimatedCounter).details).toBeLessThan(20);
    expect({ k: spared.k, m: spared.m }).toEqual({ k: 6, m: 6 });
    expect(spared.breakdown.details).toBeGreaterThan(400);
    const reserved = build({ details: 100 });
    expect(reserved.k).toBe(6);
    expect(reserved.breakdown.details).toBeLessThanOrEqual(100);
  });

  it("keeps a snippet and the anti-patterns before further columns", () => {
    const columns = Array.from({ length: 60 }, (_, at) => ({
      name: `column_number_${at}`,
      type: "integer",
    }));
    const details = {
      id: "res:db.a.orders",
      kind: "tabular",
      title: "orders",
      columns,
      usage: {
        snippets: [
          { engine: "sql", code: "SELECT 1\nFROM orders" },
          { engine: "sql", code: "SELECT 2" },
        ],
        anti_patterns: ["select *"],
      },
    };
    const candidates = [
      {
        id: details.id,
        row: () => overviewRow(details),
        card: () => ({ details, stale: ["gone:int"] }),
      },
    ];
    const { text } = buildContext({
      candidates,
      budget: 260,
      reserve: { details: 220 },
      counter: estimatedCounter,
    });
    expect(text).toMatchInlineSnapshot(`
      "# resources: 1, best first, tabular unless said. Row: alias name: fields - about
      1 a.orders
      # details of the best, by alias
      ## 1 orders
      id: res:db.a.orders
      kind: tabular
      columns:
        column_number_0 integer
        column_number_1 integer
        column_number_2 integer
        column_number_3 integer
        column_number_4 integer
        column_number_5 integer
        column_number_6 integer
        column_number_7 integer
      snippet sql:
        SELECT 1
        FROM orders
      avoid:
        select *
      stale in the overview: gone:int
      [cut: 52 of 60 columns, 1 of 2 snippets; the rest: details of 1 from columns=8;snippets=1]
      "
    `);
  });

  it("groups the rows of one database, and shortens rows before it leaves any out", () => {
    const tables = ["orders", "users", "payments"].map((title) => ({
      id: `res:db.shop.${title}`,
      kind: "tabular",
      title: `${title} (shop)`,
      schema_digest: ["id:int", "created_at:ts"],
    }));
    const rows = [
      ...tables,
      {
        id: "api:Weather/Forecast/now",
        kind: "api",
        title: "Forecast now",
        description: "Weather now. In detail.",
      },
    ].map((input) => ({ row: () => overviewRow(input) }));
    const counter = estimatedCounter;
    expect(fillRows(rows, { counter, budget: Infinity })?.text).toMatchInlineSnapshot(`
      "# resources: 4, best first, tabular unless said. Row: alias name: fields - about
      # shop
      1 orders: id created_at
      2 users: id created_at
      3 payments: id created_at

      4 Forecast now (api): Weather now
      "
    `);
    const { usable } = shareBudget(62, {}, counter);
    const tight = fillRows(rows, { counter, budget: usable });
    expect(tight?.overview).toHaveLength(rows.length);
    expect(tight?.text).toMatchInlineSnapshot(`
      "# resources: 4, best first, tabular unless said. Row: alias name: fields - about
      # shop
      1 orders: id created_at
      2 users: id created_at
      3 payments: id created_at

      4 Forecast now (api)
      "
    `);
  });
});

describe("budgetedContext", () => {
  it.each([1_000, 3_000, 12_000])(
    "uses 90 % or more of %d tokens while there are resources without a row",
    async (budget) => {
      const catalog = createCatalog();
      await catalog.register(
        Array.from({ length: 400 }, (_, at) => ({
          id: `api:server${at % 40}/action_${at}`,
          kind: "api",
          title: `action_${at}`,
          description: at < 3 ? "Weather of the next days." : "Something else.",
        })),
      );
      const { overview, tokens, breakdown } = await catalog.budgetedContext({
        task: "weather",
        budget,
      });
      expect(overview.slice(0, 3).map(({ id }) => id.slice(-2))).toEqual(["_0", "_1", "_2"]);
      const isWhole = overview.length === 400;
      expect(isWhole || tokens > breakdown.usable * 0.9).toBe(true);
      expect(isWhole).toBe(budget > 2_000);
    },
  );
});

function onlyExceeded(error: unknown): undefined {
  if (!CatalogError.isInstance(error) || error.code !== "budget_exceeded") throw error;
}
