import type { ResourceDetails } from "@ccl/catalog";
import { createScriptedModel, type ScriptedResponse } from "@ccl/core/testing";
import { describe, expect, it } from "vitest";
import { generateStructured } from "@ccl/structured-output";
import type { LogicalPlan } from "../plan/logical-plan.ts";
import { planMessages } from "./plan-prompt.ts";
import { planSchema } from "./plan-schema.ts";

const orders: ResourceDetails = {
  id: "res:orders",
  uri: "ada://any/db/main/orders",
  kind: "tabular",
  title: "orders",
  columns: [
    { name: "id", type: "int", pk: true },
    { name: "day", type: "date" },
    { name: "amount", type: "numeric(12,2)" },
  ],
};
const scan = { name: "o", op: "scan", resource: "res:orders", columns: ["day", "amount"] };
const planWith = (...steps: unknown[]): string =>
  JSON.stringify({ version: 1, steps: [scan, ...steps] });
const filtered = (where: unknown): string =>
  planWith({ name: "f", op: "filter", from: "o", where });
const laughs = ["a: &a [x, x, x, x, x, x, x, x, x]"];
for (const [index, name] of [..."bcdefghi"].entries())
  laughs.push(
    `${name}: &${name} [${Array.from({ length: 9 }, () => `*${"abcdefghi"[index] ?? ""}`).join(", ")}]`,
  );

const hostile: [name: string, answer: ScriptedResponse][] = [
  ["nothing", ""],
  ["null", "null"],
  ["a number", "42"],
  ["a list", "[]"],
  ["an empty object", "{}"],
  ["prose", "I would first look at the orders, then at the customers."],
  ["a refusal", { text: "", finishReason: "content_filter" }],
  ["a tool call", { toolCalls: [{ id: "1", name: "query", arguments: "{}" }] }],
  ["half a plan", { text: planWith().slice(0, 60), finishReason: "length" }],
  ["an unclosed fence", '```json\n{"version": 1, "steps": ['],
  ["unclosed brackets", "[".repeat(200_000)],
  ["deep objects", `{"version":1,"steps":${'[{"x":'.repeat(20_000)}`],
  ["megabytes of text", "x".repeat(2_000_000)],
  ["a YAML bomb", `\`\`\`yaml\n${laughs.join("\n")}\nsteps: *i\n\`\`\``],
  ["YAML with code", "steps: !!js/function 'function () { process.exit(1) }'"],
  ["a YAML merge of itself", "steps: &s\n  - *s\n"],
  ["SQL", "SELECT * FROM orders; DROP TABLE orders"],
  ["an unsupported version", JSON.stringify({ version: 2, steps: [scan] })],
  [
    "thousands of steps",
    planWith(...Array.from({ length: 5_000 }, (_, index) => ({ ...scan, name: `s${index}` }))),
  ],
  ["a step that reads itself", planWith({ name: "f", op: "limit", from: "f", count: 1 })],
  [
    "a step that reads a later one",
    planWith({ name: "f", op: "limit", from: "g", count: 1 }, { ...scan, name: "g" }),
  ],
  ["a duplicate name", planWith(scan)],
  ["a prototype as a plan", '{"__proto__": {"version": 1, "steps": []}}'],
  [
    "a prototype as a resource",
    JSON.stringify({ version: 1, steps: [{ ...scan, resource: "__proto__" }] }),
  ],
  [
    "a method as a resource",
    JSON.stringify({ version: 1, steps: [{ ...scan, resource: "constructor" }] }),
  ],
  ["a method as an operation", planWith({ name: "f", op: "toString", from: "o" })],
  ["a method as a function", filtered("constructor(day) = 1")],
  [
    "a missing resource",
    JSON.stringify({ version: 1, steps: [{ ...scan, resource: "res:users" }] }),
  ],
  [
    "a column that is SQL",
    JSON.stringify({ version: 1, steps: [{ ...scan, columns: ["day, (select 1)"] }] }),
  ],
  ["unclosed parentheses", filtered("(".repeat(50_000))],
  ["a thousand nots", filtered(`${"not ".repeat(5_000)}amount > 1`)],
  ["a condition that ends a statement", filtered("amount > 1; drop table orders")],
  ["a condition with a subquery", filtered("amount > (select 1)")],
  ["U+0000", filtered("day = '\u0000'")],
  ["a lone surrogate", filtered("day = '\uD800'")],
  ["a number out of range", filtered(`amount > ${"9".repeat(400)}`)],
  ["a negative limit", planWith({ name: "l", op: "limit", from: "o", count: -1 })],
  [
    "a limit that is not a number",
    '{"version":1,"steps":[{"name":"l","op":"limit","from":"o","count":1e999}]}',
  ],
  ["steps that are null", JSON.stringify({ version: 1, steps: [null, scan, 3, "scan"] })],
];
const good = planWith({ name: "l", op: "limit", from: "o", count: 3 });

async function compiled(
  answers: ScriptedResponse[],
  maxRepairs: number,
): Promise<{ result: Awaited<ReturnType<typeof generateStructured<LogicalPlan>>>; asked: number }> {
  const model = createScriptedModel(answers);
  const context = { details: [orders] };
  const messages = planMessages("revenue by day", context);
  const options = { schema: planSchema(context), messages, maxRepairs };
  const result = await generateStructured(model, options);
  const longest = Math.max(
    ...model.requests.map(({ messages }) => JSON.stringify(messages).length),
  );
  expect(longest, "a request grows with the answer").toBeLessThan(100_000);
  return { result, asked: model.requests.length };
}

describe("planSchema with a hostile model", () => {
  it.each(hostile)(
    "returns issues after maxRepairs if the model answers with %s",
    async (_, answer) => {
      const { result, asked } = await compiled(Array(9).fill(answer), 2);
      expect(result.ok).toBe(false);
      expect(asked).toBeLessThanOrEqual(3);
    },
  );

  // A refusal is final. Another request would not change it.
  const repairable = hostile.filter(([name]) => name !== "a refusal");
  it.each(repairable)("accepts the plan that follows %s", async (_, answer) => {
    const { result, asked } = await compiled([answer, good], 1);
    expect([result, asked]).toMatchObject([
      { value: { steps: [{ op: "scan" }, { op: "limit", count: 3 }] } },
      2,
    ]);
  });

  it("does not pollute prototypes", async () => {
    await compiled(
      ['{"__proto__": {"polluted": 1}, "constructor": {"prototype": {"polluted": 1}}}'],
      0,
    );
    expect("polluted" in {}).toBe(false);
  });
});
