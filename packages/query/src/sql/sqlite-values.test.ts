import type { ResourceDetails } from "@ccl/catalog";
import type { SqliteDatabase } from "@ccl/sql";
import { openSqlite } from "@ccl/sql/node";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { QueryEngine } from "../connector/connector.ts";
import { openDuckDbEngine } from "../duckdb/index.ts";
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
let engine: QueryEngine;

beforeAll(async () => {
  engine = await openDuckDbEngine({ threads: 1 });
  database = await openSqlite({ path: ":memory:" });
  database.exec(`CREATE TABLE t (id INTEGER, day, share NUMERIC, weight REAL);
    INSERT INTO t VALUES (1, '2026-03-01', 0.000012, 1e-20), (2, '2026-03-01 23:59:59', -0.00005, 0), (3, 1772323200, 12.5, 1),
      (4, 2461100.5, 7, NULL), (5, NULL, NULL, NULL), (6, 'soon', 0, 0.1)`);
});
afterAll(async () => {
  await engine.close();
  database.close();
});

const whole: ResourceDetails = { ...stored, pushdown: { filter: false } };

async function rowsOf(arrows: string, details = stored): Promise<unknown[]> {
  const plan = parseLogicalPlan(arrows);
  if (!plan.ok) throw new Error(JSON.stringify(plan.issues));
  const connectors = { "ada://any/db/main": sqlConnector(database) };
  const running = executePlan(plan.value, { details: [details], connectors, engine });
  const rows = await (await running).all();
  return rows.map((row) => Object.values(row)[0]);
}

describe("values that SQLite stores", () => {
  it("are days if stored as text, with a time, in seconds since 1970 or as a Julian day, and null as other text", async () => {
    const days = await rowsOf("scan(res:t, day, id)→sort(id)→project(day)");
    expect(days).toEqual(["2026-03-01", "2026-03-01", "2026-03-01", "2026-03-01", null, null]);
  });

  it("are grouped by day, however the day is stored", async () => {
    const groups =
      "agg(day, count() as n, count(weight) as c, sum(id) as s, min(id) as a, max(weight) as b)";
    for (const steps of [
      "",
      "filter(id < 9)→project(weight, id, day)→",
      "distinct→sort(id)→limit(9)→",
    ]) {
      const plan = `scan(res:t, id, day, weight)→${steps}${groups}→sort(day)→project(n * 1000 + c * 100 + s * 10 + a + b as x)`;
      expect(await rowsOf(plan)).toEqual(await rowsOf(plan, whole));
    }
  });

  it("are decimals with all digits, however small", async () => {
    const shares = await rowsOf("scan(res:t, share)");
    expect(shares).toEqual(["0.000012", "-0.000050", "12.500000", "7.000000", null, "0.000000"]);
  });

  it("are compared exactly when they are next to a whole number", async () => {
    expect(
      await rowsOf(
        "scan(res:t, id, weight)→filter(weight > 1e-30 and weight <= 1e-20)→project(id)",
      ),
    ).toEqual([1]);
    const numbers = [
      5e-324, 2.2e-16, -2.2e-16, 0.9999999999999999, -0.9999999999999999, -1.0000000000000002,
      1e300,
    ];
    for (const number of numbers)
      expect(
        await rowsOf(`scan(res:t, id, weight)→filter(id = 2)→project(weight + ${number} as n)`),
      ).toEqual([number]);
  });
});

describe("columns of floats on SQLite", () => {
  const pairs: ResourceDetails = {
    id: "res:pairs",
    uri: "ada://any/db/main/pairs",
    kind: "tabular",
    title: "pairs",
    columns: ["a", "b"].map((name) => ({ name, type: "float" })),
  };

  async function run(
    declaredType: string,
    arrows: string,
  ): Promise<{ rows: unknown[]; way: string }> {
    const plan = parseLogicalPlan(arrows);
    if (!plan.ok) throw new Error(JSON.stringify(plan.issues));
    const opened = await openSqlite({ path: ":memory:" });
    opened.exec(`CREATE TABLE pairs (a ${declaredType}, b ${declaredType});
      CREATE INDEX by_a ON pairs (a);
      INSERT INTO pairs VALUES (7, 2)`);
    let statement = "";
    const watched: SqliteDatabase = {
      ...opened,
      prepare: (text, options) => opened.prepare((statement = text), options),
    };
    const connectors = { "ada://any/db/main": sqlConnector(watched) };
    try {
      const options = { details: [pairs], connectors, engine };
      const rows = await (await executePlan(plan.value, options)).all();
      const steps = opened.prepare(`EXPLAIN QUERY PLAN ${statement}`).all();
      return { rows, way: steps.map(({ detail }) => String(detail)).join("; ") };
    } finally {
      opened.close();
    }
  }

  // FLOATING POINT contains INT, so SQLite stores whole numbers there as integers.
  it.each(["DOUBLE PRECISION", "NUMERIC", "FLOATING POINT", ""])(
    "divide as floats when declared as %j",
    async (type) => {
      expect((await run(type, "scan(res:pairs)→project(a / b as ratio)")).rows).toEqual([
        { ratio: 3.5 },
      ]);
    },
  );

  it("end the query with an error if they contain text", async () => {
    const opened = await openSqlite({ path: ":memory:" });
    try {
      opened.exec("CREATE TABLE pairs (a REAL, b REAL); INSERT INTO pairs VALUES ('', 2)");
      const plan = parseLogicalPlan("scan(res:pairs)→sort(a desc)→limit(1)");
      if (!plan.ok) throw new Error(JSON.stringify(plan.issues));
      const connectors = { "ada://any/db/main": sqlConnector(opened) };
      const running = executePlan(plan.value, { details: [pairs], connectors, engine });
      await expect(running.then((result) => result.all())).rejects.toMatchObject({
        code: "value_invalid",
      });
    } finally {
      opened.close();
    }
  });

  it("are searched through an index", async () => {
    const { rows, way } = await run("REAL", "scan(res:pairs, a)→filter(a > 6.5)");
    expect(rows).toEqual([{ a: 7 }]);
    expect(way).toContain("SEARCH t USING COVERING INDEX by_a");
  });
});

describe("text columns on SQLite", () => {
  const notes: ResourceDetails = {
    id: "res:notes",
    uri: "ada://any/db/main/notes",
    kind: "tabular",
    title: "notes",
    columns: [{ name: "id", type: "int" }, { name: "plain" }, { name: "json", type: "json" }],
  };

  it("return numbers as digits and bytes in hexadecimal, whatever SQLite stored", async () => {
    const opened = await openSqlite({ path: ":memory:" });
    try {
      opened.exec(`CREATE TABLE notes (id INTEGER, plain, json JSON);
        INSERT INTO notes VALUES (1, 7, '{"a":1}'), (2, 1.5, 12), (3, x'00ff', NULL), (4, 'text', x'')`);
      const connectors = { "ada://any/db/main": sqlConnector(opened) };
      for (const filter of [true, false]) {
        const plan = parseLogicalPlan(
          "scan(res:notes)→filter(plain <> 'other')→sort(id)→project(plain, json)",
        );
        if (!plan.ok) throw new Error(JSON.stringify(plan.issues));
        const result = await executePlan(plan.value, {
          details: [{ ...notes, pushdown: { filter } }],
          connectors,
          engine,
        });
        expect((await result.all()).map(({ plain, json }) => [plain, json])).toEqual([
          ["7", '{"a":1}'],
          ["1.5", "12"],
          [String.raw`\x00ff`, null],
          ["text", String.raw`\x`],
        ]);
      }
    } finally {
      opened.close();
    }
  });
});

describe("casts on SQLite", () => {
  const outside = [
    "cast(1e300 * weight as int)",
    "cast(-1e300 * weight as int)",
    "cast(9223372036854775808.0 * weight as int)",
    "cast(1e300 * weight as decimal(38,2))",
    "cast(9999999999.995 * weight as decimal(12,2))",
    "cast(cast(12.34 * weight as decimal(10,2)) as decimal(3,2))",
    "cast(cast(9.95 * weight as decimal(3,2)) as decimal(2,1))",
    "cast(id * 9223372036854775807 as text)",
  ];
  it.each(outside)("end the query if the type cannot hold the value: %s", async (cast) => {
    const plan = `scan(res:t, id, weight)→filter(id = 3)→project(${cast} as x)`;
    await expect(rowsOf(plan)).rejects.toThrow(/overflow|out of range|Could not cast/i);
  });

  it.each([
    ["cast(-9223372036854775808.0 * weight as int)", -(2n ** 63n)],
    ["cast(9223372036854774784.0 * weight as int)", 2n ** 63n - 1024n],
    ["cast(9999999999.99 * weight as decimal(12,2))", "9999999999.99"],
    ["cast(cast(9.94 * weight as decimal(3,2)) as decimal(2,1))", "9.9"],
    ["cast(null_if(weight, weight) as int)", null],
    ["cast(id + 9223372036854775804 as text)", "9223372036854775807"],
  ])("accept the last value that fits: %s", async (cast, value) => {
    const plan = `scan(res:t, id, weight)→filter(id = 3)→project(${cast} as x)`;
    expect(await rowsOf(plan)).toEqual([value]);
  });
});
