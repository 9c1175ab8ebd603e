import fc from "fast-check";
import { toWireSchema } from "@ccl/structured-output";
import { describe, expect, it } from "vitest";
import { aPlan, anExpression } from "../__fixtures__/arbitrary-plan.ts";
import { planDocument } from "../__fixtures__/plan-document.ts";
import type { LogicalPlan } from "../plan/logical-plan.ts";
import { renderExpression } from "../__fixtures__/render-expression.ts";
import { logicalPlanSchema } from "../schema/logical-plan-schema.ts";
import { parseLogicalPlan } from "./parse-logical-plan.ts";

function parsed(document: unknown, options = {}): LogicalPlan {
  const result = parseLogicalPlan(document, options);
  if (!result.ok) throw new Error(JSON.stringify(result.issues));
  return result.value;
}

/** The plan without its texts, which a document writes in the fixture's own spelling. */
function withoutTexts({ version, steps }: LogicalPlan): LogicalPlan {
  return {
    version,
    steps: steps.map((step) => ("text" in step ? { ...step, text: undefined } : step)),
  };
}

function codesOf(document: unknown): string[] {
  const result = parseLogicalPlan(document);
  return result.ok ? [] : result.issues.map(({ code }) => code);
}

const daily = `
version: 1
steps:
  - { name: orders, op: scan, resource: "res:pg.orders", columns: [created_at, amount, status] }
  - { name: paid, op: filter, where: status = 'paid' and amount > 10.50 }
  - name: daily
    op: aggregate
    by: ["date(created_at, 'Europe/Berlin') as day"]
    aggregates: [sum(amount) as revenue, count()]
  - { op: sort, by: [revenue desc, day] }
  - { op: limit, count: 10 }
`;

const { numRuns = 200 } = fc.readConfigureGlobal();

describe("parseLogicalPlan", () => {
  it("reads YAML and the same plan as JSON", () => {
    const plan = parsed(daily);
    expect(withoutTexts(parsed(JSON.stringify(planDocument(plan))))).toEqual(withoutTexts(plan));
  });

  it("reads the arrow form of a snippet for its resource", () => {
    const plan = parsed("scan→filter(status='paid')→project→agg(day,sum(rev))", {
      resource: "res:db.pg.main.public.orders",
    });
    expect(plan.steps).toEqual([
      { name: "scan1", op: "scan", resource: "res:db.pg.main.public.orders" },
      {
        name: "filter2",
        op: "filter",
        from: "scan1",
        where: {
          op: "call",
          function: "eq",
          arguments: [
            { op: "column", name: "status" },
            { op: "literal", type: "text", value: "paid" },
          ],
        },
        text: "status='paid'",
      },
      {
        name: "aggregate3",
        op: "aggregate",
        from: "filter2",
        by: [{ name: "day", value: { op: "column", name: "day" } }],
        aggregates: [{ name: "sum_rev", function: "sum", argument: { op: "column", name: "rev" } }],
        text: "sum(rev) by day",
      },
    ]);
  });

  it("reads joins, unions and sorts of the arrow form", () => {
    const text =
      "scan(res:db.pg-1.orders, id, user_id) -> left_join(scan('res:users') -> filter(not vip), user_id = id) " +
      "-> union(scan(res:old)) -> sort(id desc nulls first, user_id) -> limit(5, 10) -> distinct";
    expect(parsed(text).steps.map((step) => step.op)).toEqual([
      "scan",
      "scan",
      "filter",
      "join",
      "scan",
      "union",
      "sort",
      "limit",
      "distinct",
    ]);
    expect(withoutTexts(parsed(JSON.stringify(planDocument(parsed(text)))))).toEqual(
      withoutTexts(parsed(text)),
    );
  });

  it("reads back every plan from its document", () => {
    fc.assert(
      fc.property(aPlan(), (plan) => {
        expect(withoutTexts(parsed(JSON.parse(JSON.stringify(planDocument(plan)))))).toEqual(plan);
      }),
      { numRuns: numRuns / 4 },
    );
  });

  it("reads back every expression from its text", () => {
    fc.assert(
      fc.property(anExpression(), (where) => {
        const scan = { name: "a", op: "scan", resource: "r" };
        const plan = parsed({
          steps: [scan, { name: "b", op: "filter", where: renderExpression(where) }],
        });
        expect(plan.steps[1]).toMatchObject({ name: "b", op: "filter", from: "a", where });
      }),
    );
  });

  it("never throws and always ends, whatever the text", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.string({ unit: fc.constantFrom(..."scan→(),'\"=-[]{}:*&!|>\n  a1.") }),
        ),
        (text) => {
          const result = parseLogicalPlan(text);
          expect(result.ok ? [] : result.issues.filter(({ message }) => message === "")).toEqual(
            [],
          );
        },
      ),
    );
  });

  it("has a strict wire form whose values parse as plans", () => {
    const wire = toWireSchema(logicalPlanSchema);
    const steps = [
      { name: "a", op: "scan", resource: "r" },
      { name: "b", op: "limit", from: "a", count: 3 },
    ];
    const [scan, limit] = steps;
    const written = [
      { ...scan, columns: null },
      { ...limit, offset: null },
    ];
    expect(parsed(wire.decode({ version: 1, steps: written }))).toEqual({ version: 1, steps });
  });

  const scan = { op: "scan", resource: "r" };
  const bomb = `a: &a [1,1]\nb: &b [*a,*a]\nversion: 1\nsteps: [*b]`;
  it.each<[string, unknown, string[]]>([
    ["text that is not YAML", "steps: [", ["document_invalid"]],
    ["a list", "[1]", ["document_invalid"]],
    ["no steps", "version: 1", ["field_missing"]],
    ["an unsupported version", { version: 2, steps: [scan] }, ["document_invalid"]],
    ["an alias", bomb, ["alias_refused"]],
    ["a duplicate key", "version: 1\nversion: 1\nsteps: []", ["document_invalid"]],
    ["an unknown operation", { steps: [{ op: "window" }] }, ["step_invalid"]],
    [
      "a misspelt field",
      { steps: [{ op: "scan", resourse: "r" }] },
      ["field_unknown", "field_missing"],
    ],
    ["a first step that is not a scan", { steps: [{ op: "distinct" }] }, ["field_missing"]],
    [
      "an unclosed text",
      { steps: [scan, { op: "filter", where: "a = 'x" }] },
      ["expression_invalid"],
    ],
    [
      "a reserved word as a column",
      { steps: [scan, { op: "filter", where: "from = 1" }] },
      ["expression_invalid"],
    ],
    [
      "an unknown function",
      { steps: [scan, { op: "filter", where: "uper(a) = 'x'" }] },
      ["expression_invalid"],
    ],
    [
      "too many arguments",
      { steps: [scan, { op: "filter", where: "lower(a, b) = 'x'" }] },
      ["expression_invalid"],
    ],
    [
      "an aggregate in a filter",
      { steps: [scan, { op: "filter", where: "sum(a) > 1" }] },
      ["expression_invalid"],
    ],
    [
      "a second statement",
      { steps: [scan, { op: "filter", where: "a = 1; drop table x" }] },
      ["expression_invalid"],
    ],
    [
      "an integer beyond 64 bits",
      { steps: [scan, { op: "filter", where: "a = 9223372036854775808" }] },
      ["literal_invalid"],
    ],
    [
      "an invalid date",
      { steps: [scan, { op: "filter", where: "a = date '2026-02-29'" }] },
      ["literal_invalid"],
    ],
    [
      "U+0000 in a text",
      { steps: [scan, { op: "filter", where: "a = 'x\u0000'" }] },
      ["literal_invalid"],
    ],
    [
      "a control character in a name",
      { steps: [{ op: "scan", resource: "r\n" }] },
      ["name_invalid"],
    ],
    [
      "an aggregate that does not parse, without an error about groups",
      { steps: [scan, { op: "aggregate", aggregates: ["sum("] }] },
      ["expression_invalid"],
    ],
    [
      "an aggregate without an argument",
      { steps: [scan, { op: "aggregate", by: [], aggregates: null }] },
      ["field_missing"],
    ],
    ["a fraction as a limit", { steps: [scan, { op: "limit", count: 1.5 }] }, ["step_invalid"]],
    [
      "deep brackets",
      { steps: [scan, { op: "filter", where: `${"(".repeat(5_000)}a` }] },
      ["limit_exceeded"],
    ],
    [
      "a tree in place of a text",
      { steps: [scan, { op: "filter", where: { op: "column", name: "a" } }] },
      ["step_invalid"],
    ],
    ["deep YAML", `steps: ${"[".repeat(20_000)}`, ["limit_exceeded"]],
    ["deep YAML in one line", `steps:\n ${"- ".repeat(20_000)}a`, ["limit_exceeded"]],
    [
      "many parts",
      { steps: [scan, { op: "filter", where: `a in (${"1,".repeat(9_000)}1)` }] },
      ["limit_exceeded"],
    ],
    ["many steps", { steps: Array.from({ length: 51 }, () => scan) }, ["limit_exceeded"]],
    ["a long text", `#${"x".repeat(70_000)}`, ["limit_exceeded"]],
  ])("refuses %s", (_, document, codes) => {
    expect(codesOf(document)).toEqual(codes);
  });

  it("reports all issues at once, each with a suggestion", () => {
    const result = parseLogicalPlan({
      steps: [{ op: "scan" }, { op: "filter", where: "a = " }, { op: "limt", count: 1 }],
    });
    expect(
      result.ok ? [] : result.issues.map(({ path, message }) => `${path.join(".")}: ${message}`),
    ).toMatchInlineSnapshot(`
      [
        "steps.0.resource: A name is needed here, not "null".",
        "steps.1.where: Expected a value, but the text ends at character 5.",
        "steps.2.op: "limt" is not an operation; there are scan, filter, project, join, aggregate, sort, limit, union, distinct.",
      ]
    `);
  });
});
