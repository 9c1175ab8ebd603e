import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { QueryEngine } from "../connector/connector.ts";
import { createMemoryConnector } from "../connector/create-memory-connector.ts";
import { openDuckDbEngine } from "../duckdb/index.ts";
import { parseLogicalPlan } from "../parse/parse-logical-plan.ts";
import { executeSql } from "../select/run-sql.ts";
import type { QueryAccess } from "../validate/visible-resources.ts";
import { executePlan } from "./execute-plan.ts";
import type { PlanRow } from "./query-result.ts";

const details = [
  {
    id: "res:t",
    uri: "memory:t",
    kind: "tabular",
    title: "t",
    columns: [
      { name: "id", type: "int" },
      { name: "v", type: "text" },
      { name: "level", type: "int" },
    ],
  },
];
const connectors = {
  memory: createMemoryConnector({
    "res:t": [
      { id: 1, v: "10", level: 1 },
      { id: 2, v: "secret", level: 2 },
      { id: 3, v: "30", level: null },
      { id: 4, v: "40", level: 3 },
    ],
  }),
};

let engine: QueryEngine;
beforeAll(async () => {
  engine = await openDuckDbEngine({ threads: 1 });
});
afterAll(() => engine.close());

function accessBy(rule: string): QueryAccess {
  return { canRead: ({ column }) => column?.name !== "level", rowsOf: () => rule };
}

async function run(text: string, rule: string): Promise<PlanRow[]> {
  const plan = parseLogicalPlan(text);
  if (!plan.ok) throw new Error(JSON.stringify(plan.issues));
  const options = { details, connectors, engine, access: accessBy(rule) };
  return (await executePlan(plan.value, options)).all();
}

async function sql(text: string, rule: string): Promise<PlanRow[]> {
  const options = {
    details,
    connectors,
    engine,
    access: accessBy(rule),
    dialect: "duckdb",
  } as const;
  return (await executeSql(text, options)).rows;
}

/** Comparisons are checked while rows are read, everything else in DuckDB. */
const rules: [rule: string, ids: number[]][] = [
  ["level <= 1", [1]],
  ["level in (1, 3)", [1, 4]],
  ["level between 2 and 3 and not (level = 2)", [4]],
  ["not (level = 2)", [1, 4]],
  ["level <> 2 or level is null", [1, 3, 4]],
  ["level = 1 and lower(v) = '10'", [1]],
  ["true", [1, 2, 3, 4]],
  ["false", []],
  ["level <", []],
];

describe("a row rule", () => {
  it.each(rules)("applies to plans and statements: %s", async (rule, ids) => {
    const rows = ids.map((id) => ({ id }));
    expect(await run("scan(res:t, id)", rule)).toEqual(rows);
    expect(await run("scan(res:t, id) -> limit(1)", rule)).toEqual(rows.slice(0, 1));
    expect(await run("scan(res:t) -> sort(id) -> project(id)", rule)).toEqual(rows);
    expect(await sql("select id from t order by id", rule)).toEqual(rows);
    expect(await sql("select * from t order by id", rule)).toEqual(
      ids.map((id) => ({ id, v: expect.any(String) })),
    );
  });

  it.each(["level <> 2", "level = 1"])(
    "keeps hidden rows out of computations that they would break: %s",
    async (rule) => {
      const cast = "select sum(cast(v as integer)) > 0 as s from t";
      expect(await sql(cast, rule)).toEqual([{ s: true }]);
      await expect(sql(cast, "true")).rejects.toMatchObject({ code: "engine_failed" });
    },
  );
});
