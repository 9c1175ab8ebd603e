import { PGlite } from "@electric-sql/pglite";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { QueryEngine } from "../connector/connector.ts";
import { createMemoryConnector } from "../connector/create-memory-connector.ts";
import { openDuckDbEngine } from "../duckdb/open-duckdb-engine.ts";
import { executeSql, type RunSqlOptions } from "./run-sql.ts";

const columns = [
  { name: "id", type: "integer" },
  { name: "a", type: "integer" },
  { name: "g", type: "bigint" },
  { name: "x", type: "double precision" },
  { name: "n", type: "numeric(10,2)" },
  { name: "s", type: "text" },
  { name: "d", type: "date" },
];
const rows = [
  { id: 1, a: 1, g: 10, x: 0.5, n: "1.50", s: "a", d: "2024-05-01" },
  { id: 2, a: 2, g: 10, x: 2.5, n: "2.50", s: "7", d: "2024-07-02" },
  { id: 3, a: 4, g: 12, x: 1.5, n: "0.25", s: "b", d: "2023-08-03" },
  { id: 4, a: 3, g: 14, x: 3.5, n: "1.00", s: "a", d: "2022-01-04" },
];
const details = [
  { id: "res:q", uri: "ada://any/db/x:shop/q", kind: "tabular", title: "q", columns },
];
const connectors = { "ada://any/db/x:shop": createMemoryConnector({ "res:q": rows }) };

let engine: QueryEngine;
let postgres: PGlite;

beforeAll(async () => {
  engine = await openDuckDbEngine({ threads: 1 });
  postgres = new PGlite({ parsers: { 1700: Number, 20: Number } });
  const names = columns.map(({ name, type }) => `${name} ${type}`);
  const values = rows.map((row) => `(${Object.values(row).map((value) => `'${value}'`)})`);
  await postgres.exec(
    `CREATE TABLE q (${names.join(", ")}); INSERT INTO q VALUES ${values.join(", ")}`,
  );
}, 60_000);

afterAll(async () => {
  await engine.close();
  await postgres.close();
});

async function ours(
  text: string,
  dialect: RunSqlOptions["dialect"],
  known: RunSqlOptions["details"] = details,
): Promise<string> {
  const result = await executeSql(text, { details: known, connectors, engine, dialect });
  const lists = result.rows.map((row) =>
    result.columns.map(({ name, type }) =>
      type === "decimal" || type === "hugeint" ? Number(row[name]) : row[name],
    ),
  );
  return shown(lists);
}

async function postgresAnswer(text: string): Promise<string> {
  return shown((await postgres.query<unknown[]>(text, [], { rowMode: "array" })).rows);
}

function shown(lists: readonly (readonly unknown[])[]): string {
  return JSON.stringify(lists, (_, value: unknown) =>
    typeof value === "number" ? Number(value.toPrecision(10)) : value,
  );
}

/** Each gives another number if DuckDB's types decide how to divide or round halves. */
const statements = [
  "select round(avg(a)), round(avg(g) + 1) from q",
  "select avg(a)::int, cast(avg(a) as bigint), avg(x)::int from q",
  "select sum(g) / count(*), sum(a) / count(*), sum(n) / count(*) from q",
  "select t / n, round(t / n) from (select sum(g) as t, count(*) as n from q) z",
  "with c as (select sum(g) as t, count(*) as n from q) select max(t) / max(n) from c",
  "select sum(n) / count(*) from (select s, count(*) as n from q group by s) z",
  "select s, 10 * count(*) / sum(count(*)) over () from q group by s order by s",
  "select extract(month from d) / 3, date_part('month', d) / 3 from q order by id",
  "select (select sum(g) from q) / 4, (select avg(a) from q)::int",
  "select coalesce(sum(g), 0) / 4, case when true then sum(g) end / 8, abs(sum(g)) / 4 from q",
  "select round(5 * 1.0 / 2), round(a / 2.0) from q order by id",
  "select round(count(*)::numeric / 8 * 5), round(sum(x) / 16) from q",
  "select sum(g + a) / 8, sum(g) % 4 / 4, sum(length(s)) / 3, sum(a::bigint) / 4 from q",
  "select sum(g) over (order by id) / 4, sum(a) over () / 4 from q order by id",
  "select sum(rn) / 4 from (select row_number() over (order by id) as rn from q) z",
  "select sum(v) / 3, round(avg(v)) from (values (1::bigint), (2)) z(v)",
  "select v / 4 from (select sum(g) as v from q union all select 5) z order by 1",
  "select s from q group by s having sum(g) / count(*) > 11.5 order by s",
  "select s from q group by s order by sum(g) / count(*) desc, s",
  "select round(avg(d - date '2022-01-01') + 0.25) from q",
  "select floor(a) / 2, sign(a) / 2 from q order by id",
  "select (d + a)::text, (q.a + d)::text, (d - a)::text, (d + -7)::text from q order by id",
  "select max(d + a + 1)::text from q where d + a > date '2023-01-01'",
];

describe("PostgreSQL's numbers in DuckDB", () => {
  it.each(statements)("equal those of PostgreSQL itself: %s", async (text) => {
    expect(await ours(text, "postgresql")).toBe(await postgresAnswer(text));
  });

  it("depend on the catalogued types and on the dialect", async () => {
    const whole = details.map((resource) => ({
      ...resource,
      columns: columns.map(({ name }) => ({ name, type: name === "g" ? "integer" : "text" })),
    }));
    const divided = "select sum(g) / 4 from q";
    expect(await ours(divided, "postgresql")).toBe("[[11.5]]");
    expect(await ours(divided, "postgresql", whole)).toBe("[[11]]");
    expect(await ours("select round(avg(a)) from q", "duckdb")).toBe("[[3]]");
    expect(await ours("select sum(a) / 4 from q", "duckdb")).toBe("[[2.5]]");
  });

  it("are added to a date as days, or the error says what to write", async () => {
    const computed = "select (d + a * 2)::text from q order by id";
    await expect(ours(computed, "postgresql")).rejects.toThrow(
      "write day + cast(number as integer)",
    );
    const written = computed.replace("a * 2", "cast(a * 2 as integer)");
    expect(await ours(written, "postgresql")).toBe(await postgresAnswer(computed));
  });

  it.each([
    "select avg(a)::text from q",
    "select 'about ' || avg(a) from q",
    "select concat(avg(a), ' in all') from q",
    "select (n / 3)::varchar from q",
    "select mod(n, n / 3) from q",
  ])("are refused as text or divisor before they are rounded: %s", async (text) => {
    await expect(ours(text, "postgresql")).rejects.toThrow("write round(x, 2)");
    expect(await ours(text.replace(/avg\(a\)|n \/ 3/, "round($&, 2)"), "postgresql")).toBe(
      await postgresAnswer(text.replace(/avg\(a\)|n \/ 3/, "round($&, 2)")),
    );
  });

  it.each([
    "select count(*) from (select s as v from q) z where v = 7",
    "with c as (select s as v from q union all select 'b') select * from c where v > 5",
    "select * from (values ('7'::text)) z(v) where v in (7, 8)",
    "select (select max(s) from q) < 3",
  ])("are never compared with text from a subquery: %s", async (text) => {
    await expect(ours(text.replace("'7'::text", "cast('7' as text)"), "sqlite")).rejects.toThrow(
      "a string is compared with a number",
    );
    await expect(postgresAnswer(text)).rejects.toThrow("operator does not exist");
  });
});
