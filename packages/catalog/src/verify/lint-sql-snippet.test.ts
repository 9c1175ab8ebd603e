import { loadSqlParser, type SqlParser } from "@ccl/sql/parse";
import { beforeAll, describe, expect, it } from "vitest";
import type { ResourceDetails } from "../record/resource-record.ts";
import { createTableLookups } from "./create-table-lookup.ts";
import { lintSqlSnippet } from "./lint-sql-snippet.ts";
import type { TableLookup } from "./sql-facts.ts";
import { dialectOf } from "./snippet-dialect.ts";

function table(
  name: string,
  columns: string,
  fields: Partial<ResourceDetails> = {},
): ResourceDetails {
  const names = columns.split(" ").map((column) => ({ name: column, type: "text" }));
  const uri = `ada://any/db/pg:main/public.${name}`;
  return {
    id: `res:db.pg.main.public.${name}`,
    uri,
    kind: "tabular",
    title: name,
    columns: names,
    ...fields,
  };
}

const orders = table("orders", "id user_id created_at amount status tags data", {
  shape: { rows_est: "1e7" },
});
const users = table("users", "id name city", { shape: { rows_est: 10 } });
const weird = table("%D0%B7%D0%B0%D0%BA%D0%B0%D0%B7%D1%8B", 'имя Сумма col"x');
const lookups = createTableLookups([orders, users, weird].map((details) => ({ details })));

let parser: SqlParser;
beforeAll(async () => {
  parser = await loadSqlParser();
});

function lintWith(lookup: TableLookup, code: string): string[] {
  const options = {
    parser,
    dialect: "postgresql",
    lookup,
    antiPatterns: [],
  };
  return lintSqlSnippet({ engine: "sql", code }, options).map((finding) => finding.message);
}

function lint(code: string, antiPatterns: string[] = [], dialect = "postgresql"): string[] {
  const options = {
    parser,
    dialect,
    lookup: lookups(orders),
    antiPatterns,
  };
  const findings = lintSqlSnippet({ engine: "sql", code }, options);
  return findings.map((finding) => `${finding.severity} ${finding.code}: ${finding.message}`);
}

describe("lintSqlSnippet", () => {
  it.each([
    [
      "an aggregate",
      "SELECT date(created_at) d, sum(amount) rev FROM orders WHERE status = 'paid' GROUP BY 1",
    ],
    [
      "a qualified table",
      "SELECT o.id, u.name FROM public.orders AS o JOIN main.public.users u ON u.id = o.user_id LIMIT 5",
    ],
    [
      "common tables",
      "WITH t AS (SELECT user_id, count(*) n FROM orders GROUP BY user_id) SELECT t.user_id, n FROM t WHERE n > 3",
    ],
    ["renamed columns", "WITH t (a, b) AS (SELECT id, name FROM users) SELECT a, b FROM t"],
    [
      "a recursive table",
      "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 10) SELECT n FROM c",
    ],
    [
      "a correlated subquery",
      "SELECT name FROM users u WHERE EXISTS (SELECT * FROM orders WHERE orders.user_id = u.id)",
    ],
    ["a derived table", "SELECT d.total FROM (SELECT sum(amount) AS total FROM orders) d"],
    [
      "windows",
      "SELECT id, sum(amount) OVER w AS s FROM orders WHERE id < 9 WINDOW w AS (PARTITION BY user_id ORDER BY created_at) ORDER BY s LIMIT 3",
    ],
    [
      "functions that return rows",
      "SELECT g.n, u.t FROM generate_series(1, 3) g(n), LATERAL unnest(ARRAY['a']) AS u(t)",
    ],
    [
      "casts and structures",
      "SELECT data->>'k', amount::numeric(10,2), extract(epoch FROM created_at) FROM orders LIMIT 1",
    ],
    [
      "parameters",
      "SELECT id FROM orders WHERE id = $1 AND created_at > now() - interval '30 days' LIMIT 1",
    ],
    ["system tables", "SELECT relname FROM pg_class LIMIT 1"],
    ["quoted and Cyrillic names", 'SELECT имя, "Сумма", "col""x" FROM "заказы"'],
    [
      "a set operation",
      "SELECT id FROM orders WHERE id = 1 UNION ALL SELECT id FROM users ORDER BY id LIMIT 3",
    ],
    ["a join by common columns", "SELECT name FROM users JOIN orders USING (id) LIMIT 2"],
    ["other cases", "select ID, Name from USERS"],
  ])("accepts %s", (_, code) => {
    expect(lint(code)).toEqual([]);
  });

  it.each([
    ["an extra word", "SELECT id FORM orders", "snippet_syntax"],
    ["an extra comma", "SELECT id, FROM orders", "snippet_syntax"],
    ["endless nesting", `SELECT ${"(".repeat(5_000)}1${")".repeat(5_000)}`, "snippet_syntax"],
    ["an unknown table", "SELECT id FROM order_items LIMIT 1", "snippet_unknown_table"],
    ["a table of another schema", "SELECT id FROM sales.orders LIMIT 1", "snippet_unknown_table"],
    ["an unknown column", "SELECT total FROM orders LIMIT 1", "snippet_unknown_column"],
    [
      "a column of the other table",
      "SELECT o.city FROM orders o JOIN users u ON u.id = o.user_id LIMIT 1",
      "snippet_unknown_column",
    ],
    [
      "a column that a condition names",
      "SELECT id FROM orders WHERE paid LIMIT 1",
      "snippet_unknown_column",
    ],
    [
      "a column that a common table does not have",
      "WITH t AS (SELECT id FROM users) SELECT name FROM t",
      "snippet_unknown_column",
    ],
    [
      "a column in a subquery",
      "SELECT id FROM users WHERE id IN (SELECT customer FROM orders)",
      "snippet_unknown_column",
    ],
    [
      "a join key",
      "SELECT u.id FROM users u JOIN orders o ON o.uid = u.id LIMIT 1",
      "snippet_unknown_column",
    ],
    ["all columns", "SELECT * FROM users", "snippet_anti_pattern"],
    [
      "no limit over many rows",
      "SELECT id FROM orders WHERE status = 'new'",
      "snippet_anti_pattern",
    ],
    [
      "no limit around a common table",
      "WITH t AS (SELECT id FROM orders) SELECT id FROM t",
      "snippet_anti_pattern",
    ],
    ["changes", "DELETE FROM orders WHERE id = 1", "snippet_writes"],
    ["an abridged snippet", "SELECT date(created_at) d, sum(amount) rev ...", "snippet_unchecked"],
  ])("reports %s", (_, code, expected) => {
    const found = lint(code);
    expect(found).toHaveLength(1);
    expect(found[0]).toContain(` ${expected}: `);
  });

  it.each([
    ["select *", "SELECT * FROM users", "SELECT id FROM users"],
    ["без лимита > 1e6 строк", "SELECT id FROM orders", "SELECT id FROM users"],
    ["no limit over 5 rows", "SELECT id FROM users", "SELECT count(*) FROM users"],
    [
      "never use a cross join here",
      "SELECT u.id FROM users u CROSS JOIN orders LIMIT 1",
      "SELECT id FROM users",
    ],
    [
      "LIKE '%text%'",
      "SELECT id FROM users WHERE name LIKE '%a'",
      "SELECT id FROM users WHERE name LIKE 'a%'",
    ],
    [
      "ORDER BY random()",
      "SELECT id FROM users ORDER BY random() LIMIT 1",
      "SELECT id FROM users ORDER BY id LIMIT 1",
    ],
    ["full table scan", "SELECT id FROM users", "SELECT id FROM users WHERE id = 1"],
    [
      "paging with OFFSET",
      "SELECT id FROM users LIMIT 5 OFFSET 100",
      "SELECT id FROM users LIMIT 5",
    ],
  ])("checks a snippet for %s if the resource forbids it", (text, bad, good) => {
    expect(
      lint(bad, [text]).filter((finding) => finding.startsWith("breaking snippet_anti_pattern")),
    ).toHaveLength(1);
    expect(lint(good, [text])).toEqual([]);
  });

  it("ignores an anti-pattern that is not a known rule", () => {
    expect(lint("SELECT id FROM users", ["asking on Mondays"])).toEqual([]);
  });

  it("knows the columns of every resource that describes the table", () => {
    const sales = {
      ...table("orders", "margin"),
      id: "res:db.pg.main.public.sales",
      usage: { anti_patterns: ["SELECT *"] },
    };
    const shared = createTableLookups([orders, sales, users].map((details) => ({ details })));
    for (const resource of [orders, sales, users]) {
      expect(lintWith(shared(resource), "SELECT amount, margin FROM orders LIMIT 1")).toEqual([]);
      expect(lintWith(shared(resource), "SELECT discount FROM orders LIMIT 1")).toHaveLength(1);
      expect(lintWith(shared(resource), "SELECT * FROM orders LIMIT 1")).toEqual([
        expect.stringContaining("SELECT *"),
      ]);
    }
  });

  it("resolves an ambiguous name to the resource's own table, otherwise to any match", () => {
    const old = {
      ...table("orders", "legacy"),
      id: "res:db.pg.main.old.orders",
      uri: "ada://any/db/pg:main/old.orders",
    };
    const both = createTableLookups([orders, old, users].map((details) => ({ details })));
    expect(lintWith(both(orders), "SELECT amount FROM orders LIMIT 1")).toEqual([]);
    expect(lintWith(both(orders), "SELECT legacy FROM orders LIMIT 1")).toHaveLength(1);
    expect(lintWith(both(orders), "SELECT legacy FROM old.orders LIMIT 1")).toEqual([]);
    expect(lintWith(both(users), "SELECT amount, legacy FROM orders LIMIT 1")).toEqual([]);
  });

  it("skips a chain of thousands of conditions, and continues checking", () => {
    const chain = Array.from({ length: 5_000 }, () => "id = 1").join(" OR ");
    expect(lint(`SELECT id FROM users WHERE ${chain}`)).toEqual([
      expect.stringContaining("snippet_unchecked"),
    ]);
    expect(lint("SELECT id FROM users")).toEqual([]);
  });

  it("does not blame a snippet for a failure of the parser", () => {
    const broken: SqlParser = {
      parse: () => {
        throw new Error("memory access out of bounds");
      },
    };
    const lookup = lookups(orders);
    const options = {
      parser: broken,
      dialect: "generic",
      lookup,
      antiPatterns: [],
    };
    expect(lintSqlSnippet({ engine: "sql", code: "SELECT 1" }, options)).toMatchObject([
      { severity: "unverified", code: "linter_failed" },
    ]);
  });

  it.each([
    ["sql", "ada://any/db/pg:main/a", "postgresql"],
    ["SQL", "ada://any/db/sqlite:main/a", "sqlite"],
    ["sql", "https://example.test/", "generic"],
    ["duckdb", undefined, "duckdb"],
    ["ir", "ada://any/db/pg:main/a", undefined],
  ])("derives the dialect of %s from %s", (engine, uri, dialect) => {
    expect(dialectOf(engine, uri)).toBe(dialect);
  });
});
