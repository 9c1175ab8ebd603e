import type { ResourceDetails } from "@ccl/catalog";
import { expect, it } from "vitest";
import { createMemoryConnector } from "../connector/create-memory-connector.ts";
import { executeSql } from "./run-sql.ts";
import { statementText } from "./statement-text.ts";

const address = "ada://any/db/shop";
const details: ResourceDetails[] = [
  {
    id: "res:visits",
    uri: `${address}/visits`,
    kind: "tabular",
    title: "visits",
    columns: [
      { name: "id", type: "int" },
      { name: "who", type: "text" },
      { name: "city", type: "text" },
    ],
  },
  {
    id: "res:bills",
    uri: `${address}/bills`,
    kind: "tabular",
    title: "bills",
    columns: [
      { name: "visit", type: "int" },
      { name: "total", type: "numeric(10,2)" },
    ],
  },
];
const visits = [
  { id: 1, who: "Ann", city: "Rome" },
  { id: 2, who: "Bob", city: "Oslo" },
  { id: 3, who: "Ann", city: "Rome" },
];
const bills = [{ visit: 1, total: "50.00" }];
const connectors = {
  [address]: createMemoryConnector({ "res:visits": visits, "res:bills": bills }),
};

/** Returns the rows or the error message. */
async function answerTo(text: string): Promise<unknown> {
  return executeSql(text, { details, connectors }).then(
    ({ rows }) => rows,
    (error: unknown) => (error instanceof Error ? error.message : error),
  );
}

it.each([
  ["```sql\nselect 1\n```", "select 1\n"],
  ["Here it is:\n\n```\nselect 1;\n```\nIt gives 1.", "select 1;\n"],
  ["```select 1```", "select 1"],
  ["SQLQuery: select 1", "select 1"],
  ["```sql\nSQL: select 1\n```", "select 1\n"],
  ['"select 1"', "select 1"],
  [`"select ""id"" from visits";`, 'select "id" from visits'],
  [`"select "id" from visits"`, 'select "id" from visits'],
  ["'select ''a'' as a'", "select 'a' as a"],
  ["`with a as (select 1) select * from a`", "with a as (select 1) select * from a"],
])("extracts the statement from %j", (text, statement) => {
  expect(statementText(text)).toBe(statement);
});

it.each([
  "select '```\nselect 2\n```' as a",
  "(select 1)",
  "```\nselect 1\n```\nor\n```\nselect 2\n```",
  "delete from visits",
  '"visits"',
])("leaves %j unchanged", (text) => {
  expect(statementText(text)).toBe(text);
});

it("returns all columns for a FROM without SELECT", async () => {
  expect(await answerTo("from visits limit 1")).toEqual([visits[0]]);
});

it.each([
  ["select who, city, count(*) as n from visits group by who order by n desc, city", 2],
  ["select v.who, count(*) as n, v.city as town from visits v group by v.who order by v.city", 1],
  ["select who as name, city, count(*) as n from visits group by name order by n desc", 2],
  ["select who, city, count(*) as n from visits group by 1 order by n desc", 2],
  [
    "select city, n from (select who, city, count(*) as n from visits group by who) t order by n desc",
    2,
  ],
])(
  "accepts a column outside GROUP BY that has one value in each group: %s",
  async (text, first) => {
    const rows = await answerTo(text);
    expect(rows).toMatchObject([{ n: first }, { n: 3 - first }]);
    expect(JSON.stringify(rows)).toContain("Rome");
  },
);

it.each([
  ["select city, id from visits group by city", /several values in one group; group by it too/],
  ["select city, count(*) as n from visits group by city order by id", /several values/],
  ["select lower(who), city from visits group by lower(who)", /must appear in the GROUP BY/],
  ["select top 2 who from visits", /^TOP is not supported; write LIMIT at the end\.$/],
  ["select nvl(who, 'x') from visits", /^There is no function "nvl": write coalesce\(a, b\)\.$/],
  ["select strps(who) from visits", /^There is no function "strps"\. Did you mean "strpos"\?/],
])("suggests a replacement for %s", async (text, message) => {
  expect(await answerTo(text)).toMatch(message);
});

it.each([
  ["postgresql", "select power(0, -2)", "zero raised to a negative power is undefined"],
  ["postgresql", "select pow(-8, 0.5)", "a negative number raised to a non-integer power"],
  ["postgresql", "select power(10, id + 400) from visits", "value out of range: overflow"],
  ["postgresql", "select power(0.000001, 200)", "value out of range: underflow"],
  ["postgresql", "select coalesce(0, 'aB'::integer)", "'aB' is not a whole number"],
  ["postgresql", "select to_char(now(), 'TMMonth')", "the format 'TMMonth' has a part other than"],
  ["postgresql", "select (current_date + 1) at time zone 'UTC'", "a computed date has a time zone"],
  ["postgresql", "select max(1, 2, 3)", "max takes one value; write greatest(a, b)."],
  ["duckdb", "select min(id, 2) from visits", "min takes one value; write least(a, b)."],
  ["postgresql", "select * from visits a join visits b", "neither ON nor USING; write CROSS JOIN"],
  ["sqlite", "select total / 3 from bills", "write 1.0 * a / b"],
  ["sqlite", "select sum(total) / count(*) from bills", "write 1.0 * a / b"],
  ["sqlite", "select * from visits a join visits b", "neither ON nor USING; write CROSS JOIN"],
] as const)("refuses in %s: %s", async (dialect, text, message) => {
  await expect(executeSql(text, { details, connectors, dialect })).rejects.toThrow(message);
});

it("divides decimals in SQLite's dialect if a factor has a fraction", async () => {
  const text =
    "select 1.5 * sum(total) / 2 as a, sum(total) / 2.5 as b, avg(total) / 4 as c from bills";
  const { rows } = await executeSql(text, { details, connectors, dialect: "sqlite" });
  expect(rows).toEqual([{ a: 37.5, b: 20, c: 12.5 }]);
});

it("gives null for an undefined power in SQLite, and accepts its max of several values", async () => {
  const text = "select power(-8, 0.5) as p, pow(-8, 2) as q, max(1, 2, 3) as m";
  const { rows } = await executeSql(text, { details, connectors, dialect: "sqlite" });
  expect(rows).toEqual([{ p: null, q: 64, m: 3 }]);
});

it("does not capitalize ß, like PostgreSQL", async () => {
  const text = "select upper('straße') as u, initcap('straße ßa') as i";
  const { rows } = await executeSql(text, { details, connectors, dialect: "postgresql" });
  expect(rows).toEqual([{ u: "STRAßE", i: "Straße ßa" }]);
});
