import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openSqlite } from "@ccl/sql/node";
import type { SqliteDatabase } from "@ccl/sql";
import { afterEach, beforeEach, expect, it } from "vitest";
import { executePlan, type ExecutePlanOptions } from "../execute/execute-plan.ts";
import { parseLogicalPlan } from "../parse/parse-logical-plan.ts";
import type { LogicalPlan } from "../plan/logical-plan.ts";
import { sqlConnector } from "./sql-connector.ts";

const details = [
  "t",
  "100%",
  "sqlite_master",
  "pg_catalog.pg_class",
  "information_schema.tables",
].map((name) => ({
  id: `res:${name}`,
  uri: `ada://any/db/main/${name}`,
  kind: "tabular",
  title: name,
  columns: [{ name: "a", type: "int" }],
}));
const one = { op: "literal", type: "int", value: 1 } as const;
const bomb: LogicalPlan = {
  version: 1,
  steps: [
    { name: "t", op: "scan", resource: "res:t" },
    { name: "x", op: "project", from: "t", columns: [{ name: "k", value: one }] },
    { name: "y", op: "project", from: "t", columns: [{ name: "k", value: one }] },
    {
      name: "j",
      op: "join",
      kind: "inner",
      left: "x",
      right: "y",
      on: [{ left: "k", right: "k" }],
      prefix: "y_",
    },
    {
      name: "n",
      op: "aggregate",
      from: "j",
      by: [],
      aggregates: [{ name: "n", function: "count" }],
    },
  ],
};

let folder = "";
const open: SqliteDatabase[] = [];
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), "ccl-bombs-"))));
afterEach(() => {
  for (const database of open.splice(0)) database.close();
  rmSync(folder, { recursive: true, force: true });
});

async function tableOf(path: string, rows: number): Promise<SqliteDatabase> {
  const database = await openSqlite({ path });
  open.push(database);
  database.exec(
    `CREATE TABLE t (a INTEGER); INSERT INTO t WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < ${rows}) SELECT x FROM c`,
  );
  return database;
}

async function run(
  text: string | LogicalPlan,
  database: SqliteDatabase,
  limits?: ExecutePlanOptions["limits"],
): Promise<unknown> {
  const plan =
    typeof text === "string" ? parseLogicalPlan(text) : { ok: true as const, value: text };
  if (!plan.ok) throw new Error(JSON.stringify(plan.issues));
  const connectors = { "ada://any/db/main": sqlConnector(database) };
  return (await executePlan(plan.value, { details, connectors, limits })).all();
}

it("ends a cross join over a file at the deadline and keeps the event loop turning", async () => {
  const database = await tableOf(join(folder, "db.sqlite"), 60_000);
  let turns = 0;
  const timer = setInterval(() => (turns += 1), 10);
  const running = run(bomb, database, { timeoutMs: 300 });
  await expect(running).rejects.toMatchObject({
    code: "limit_exceeded",
    details: { limit: "timeoutMs" },
  });
  clearInterval(timer);
  expect(turns).toBeGreaterThan(0);
  expect(await run("scan(res:t)→limit(1)", database)).toEqual([{ a: 1 }]);
});

it("runs a small cross join without a deadline", async () => {
  const database = await tableOf(join(folder, "db.sqlite"), 100);
  expect(await run(bomb, database, { timeoutMs: Infinity })).toEqual([{ n: 10_000 }]);
});

it("ends a cross join over an in-memory database, which nothing can interrupt", async () => {
  const running = run(bomb, await tableOf(":memory:", 60_000), { timeoutMs: 300 });
  await expect(running).rejects.toMatchObject({
    code: "limit_exceeded",
    details: { limit: "timeoutMs" },
  });
});

it("reads a table whose address contains an invalid percent escape", async () => {
  const database = await tableOf(":memory:", 1);
  database.exec('ALTER TABLE t RENAME TO "100%"');
  const scan = { name: "t", op: "scan", resource: "res:100%" } as const;
  expect(await run({ version: 1, steps: [scan] }, database)).toEqual([{ a: 1 }]);
});

it("applies default limits", async () => {
  const database = await tableOf(join(folder, "db.sqlite"), 100_001);
  await expect(run("scan(res:t)", database)).rejects.toMatchObject({
    code: "limit_exceeded",
    details: { limit: "rows", max: 100_000 },
  });
  expect(await run("scan(res:t)", database, { rows: Infinity })).toHaveLength(100_001);
});

it.each(details.slice(2).map(({ id }) => id))(
  "does not read %s, even if it is catalogued",
  async (id) => {
    const running = run(`scan(${id})`, await tableOf(":memory:", 1));
    await expect(running).rejects.toMatchObject({ code: "invalid_options" });
  },
);
