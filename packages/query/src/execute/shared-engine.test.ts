import { describe, expect, it, vi } from "vitest";
import { createMemoryConnector } from "../connector/create-memory-connector.ts";
import { parseLogicalPlan } from "../parse/parse-logical-plan.ts";
import type { PlanRow } from "./query-result.ts";
import { executePlan } from "./execute-plan.ts";

vi.mock("@duckdb/node-api", () => {
  throw new Error("Cannot find package '@duckdb/node-api'");
});

const details = [
  {
    id: "res:t",
    uri: "memory:t",
    kind: "tabular",
    title: "t",
    columns: [{ name: "a", type: "int" }],
  },
];
const connectors = { memory: createMemoryConnector({ "res:t": [{ a: 1 }, { a: 2 }] }) };

async function run(text: string): Promise<PlanRow[]> {
  const plan = parseLogicalPlan(text);
  if (!plan.ok) throw new Error(JSON.stringify(plan.issues));
  return (await executePlan(plan.value, { details, connectors })).all();
}

describe("a plan without DuckDB installed", () => {
  it("fails with an error that says how to install DuckDB", async () => {
    await expect(run("scan(res:t) -> agg(sum(a) as s)")).rejects.toMatchObject({
      code: "engine_missing",
      message: expect.stringContaining("npm install @duckdb/node-api"),
    });
  });

  it("runs if it only reads rows", async () => {
    expect(await run("scan(res:t) -> filter(a between 2 and 9) -> project(a as b)")).toEqual([
      { b: 2 },
    ]);
  });
});
