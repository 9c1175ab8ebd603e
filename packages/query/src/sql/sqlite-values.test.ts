import type { ResourceDetails } from "@ccl/catalog";
import { openSqlite, type SqliteDatabase } from "@ccl/sql";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { executePlan } from "../execute/execute-plan.ts";
import { parseLogicalPlan } from "../parse/parse-logical-plan.ts";
import { sqlConnector } from "./sql-connector.ts";

const stored: ResourceDetails = {
  id: "res:t",
  uri: "ada://any/db/main/t",
  kind: "tabular",
  title: "t",
  columns: [
    { name: "id", type: "int" },
    { name: "day", type: "date" },
    { name: "share", type: "numeric(18,6)" },
    { name: "weight", type: "float" },
  ],
};

let database: SqliteDatabase;

beforeAll(async () => {
  database = await openSqlite({ path: ":memory:" });
  database.exec(`CREATE TABLE t (id INTEGER, day, share NUMERIC, weight REAL);
    INSERT INTO t VALUES (1, '2026-03-01', 0.000012, 1e-20), (2, '2026-03-01 23:59:59', -0.00005, 0), (3, 1772323200, 12.5, 1),
      (4, 2461100.5, 7, NULL), (5, NULL, NULL, NULL), (6, 'soon', 0, 0.1)`);
});
afterAll(() => database.close());

async function rowsOf(arrows: string): Promise<unknown[]> {
  const plan = parseLogicalPlan(arrows);
  if (!plan.ok) throw new Error(JSON.stringify(plan.issues));
  const connectors = { "ada://any/db/main": sqlConnector(database) };
  const rows = await (await executePlan(plan.value, { details: [stored], connectors })).all();
  return rows.map((row) => Object.values(row)[0]);
}

describe("values that SQLite stores", () => {
  it("are days as text, with a time, in seconds since 1970 and as a Julian day; no other text is one", async () => {
    const days = await rowsOf("scan(res:t, day, id)→sort(id)→project(day)");
    expect(days).toEqual(["2026-03-01", "2026-03-01", "2026-03-01", "2026-03-01", null, null]);
  });

  it("are decimals with their digits, however small", async () => {
    const shares = await rowsOf("scan(res:t, share)");
    expect(shares).toEqual(["0.000012", "-0.000050", "12.500000", "7.000000", null, "0.000000"]);
  });

  it("compare with a number next to 0 as with itself", async () => {
    expect(await rowsOf("scan(res:t, id, weight)→filter(weight > 1e-30 and weight <= 1e-20)→project(id)")).toEqual([1]);
  });
});
