import { DuckDBInstance } from "@duckdb/node-api";
import { openSqlite } from "@ccl/sql/node";
import { expect, it } from "vitest";
import { executePlan } from "../execute/execute-plan.ts";
import { explainPlan } from "../explain/explain-plan.ts";
import { parseLogicalPlan } from "../parse/parse-logical-plan.ts";
import type { TypedCall, TypedExpression } from "../plan/typed-plan.ts";
import { lowerComparison } from "./lower-comparison.ts";
import { sqlConnector } from "./sql-connector.ts";

const text = { kind: "text" } as const;
const lower: TypedCall = {
  op: "call",
  function: "lower",
  arguments: [{ op: "column", name: "x", type: text, isNullable: true }],
  type: text,
  isNullable: true,
};
const equals = (value: string): TypedExpression => ({
  op: "call",
  function: "eq",
  arguments: [lower, { op: "literal", value, type: text, isNullable: false }],
  type: { kind: "bool" },
  isNullable: true,
});

it("knows every letter that lower turns into one of a constant, among all of Unicode", async () => {
  const instance = await DuckDBInstance.create(":memory:", { threads: "1" });
  const connection = await instance.connect();
  const reader = await connection.runAndReadAll(
    `select chr(n::int) as c, lower(c) from range(128, 1114112) t(n)
     where (n < 55296 or n > 57343) and lower(c) <> c`,
  );
  const capitals = new Map<string, string[]>();
  const changed = new Set<string>();
  for (const [letter = "", small = ""] of reader.getRows().map((row) => row.map(String))) {
    capitals.set(small, [...(capitals.get(small) ?? []), letter]);
    changed.add(letter);
  }
  connection.closeSync();
  instance.closeSync();
  let taken = 0;
  const wrong: string[] = [];
  for (let point = 1; point < 0xd800; point++) {
    const constant = String.fromCharCode(point);
    const found = lowerComparison(equals(constant));
    if (found === undefined) continue;
    taken += 1;
    const known = found.letters.map(([letter]) => letter).toSorted();
    const wanted = (capitals.get(constant) ?? []).toSorted();
    if (known.join() !== wanted.join() || changed.has(constant)) wrong.push(constant);
  }
  expect(wrong).toEqual([]);
  expect(taken).toBeGreaterThan(30_000);
  expect(lowerComparison(equals("\u0264"))).toBeUndefined();
});

it("leaves a search that ignores case to the source", async () => {
  const database = await openSqlite({ path: ":memory:" });
  database.exec("CREATE TABLE l (name TEXT)");
  for (const name of ["Köln", "KÖLN", "\u212aÖln", "Kiel", "k_ln"])
    database.prepare("INSERT INTO l VALUES (?)").run(name);
  const details = [
    {
      id: "res:l",
      uri: "ada://any/db/main/l",
      kind: "tabular",
      title: "l",
      columns: [{ name: "name", type: "text" }],
    },
  ];
  const plan = parseLogicalPlan("scan(res:l)→filter(name ilike 'KÖ%')→agg(count() as n)");
  if (!plan.ok) throw new Error(JSON.stringify(plan.issues));
  const connectors = { "ada://any/db/main": sqlConnector(database) };
  const explained = explainPlan(plan.value, { details, connectors });
  expect(explained.text).not.toContain("engine");
  const result = await executePlan(plan.value, { details, connectors });
  expect(await result.all()).toEqual([{ n: 3 }]);
  database.close();
});
