import type { ResourceDetails } from "@ccl/catalog";
import type { SqliteDatabase } from "@ccl/sql";
import { openSqlite } from "@ccl/sql/node";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openDuckDbEngine } from "../duckdb/open-duckdb-engine.ts";
import type { QueryEngine } from "../connector/connector.ts";
import { executePlan } from "../execute/execute-plan.ts";
import { parseLogicalPlan } from "../parse/parse-logical-plan.ts";
import { sqlConnector } from "../sql/sql-connector.ts";
import type { QueryAccess } from "../validate/visible-resources.ts";
import { parseSql } from "./parse-sql.ts";
import { runSql } from "./run-sql.ts";

const address = "ada://any/db/sqlite:hr";
const details: ResourceDetails[] = [
  {
    id: "res:people",
    uri: `${address}/people`,
    kind: "tabular",
    title: "people",
    columns: [
      { name: "id", type: "integer" },
      { name: "team", type: "text" },
      { name: "level", type: "integer" },
      { name: "pay", type: "integer" },
    ],
  },
  {
    id: "res:teams",
    uri: `${address}/teams`,
    kind: "tabular",
    title: "teams",
    columns: [
      { name: "team", type: "text" },
      { name: "city", type: "text" },
    ],
  },
];

it("does not send SQLite a statement that it would run as an endless recursion", async () => {
  const inner = "with c as (select team, pay from people) select team, pay from c";
  const sql = `with c as (${inner} union all select team, pay from c) select team from c`;
  const plan = await parseSql(sql, { details });
  expect(plan.ok && [...plan.value.resolved.spellings].sort()).toEqual(["duckdb", "postgresql"]);
  const other = await parseSql(
    sql.replace("with c as (with c", "with d as (with c").replace(/c$/, "d"),
    { details },
  );
  expect(other.ok && other.value.resolved.spellings.has("sqlite")).toBe(true);
});

it("reports a missing table once, and not its columns", async () => {
  const sql =
    "select s.name, age, t.town from staff s join teams t on t.team = s.team where s.age > 3";
  const plan = await parseSql(sql, { details });
  expect(plan.ok ? [] : plan.issues.map(({ message }) => message)).toEqual([
    'There is no table "staff". There is: people, teams.',
    'There is no column "t.town". There is: team, city.',
  ]);
});

describe("a name in double quotes that is not a column", () => {
  const typo = "select count(*) from people where \"teem\" = 'a'";
  const text = 'select count(*) from people where team = "Zürich"';

  it.each([undefined, "postgresql", "duckdb", "sqlite"] as const)(
    "is an error that names the nearest column in %s",
    async (dialect) => {
      const plan = await parseSql(typo, { details, dialect });
      expect(plan.ok ? [] : plan.issues.map(({ message }) => message)).toEqual([
        'There is no column "teem". Did you mean "team"? There is: id, team, level, pay. Write a string in single quotes: \'teem\'.',
      ]);
    },
  );

  it("is text only in SQLite", async () => {
    expect(await parseSql(text, { details, dialect: "sqlite" })).toMatchObject({ ok: true });
    for (const dialect of [undefined, "postgresql", "duckdb"] as const)
      expect(await parseSql(text, { details, dialect })).toMatchObject({
        ok: false,
        issues: [{ code: "column_unknown", message: expect.stringContaining("'Zürich'") }],
      });
  });
});

it.each([
  [
    "select date_format(team, '%Y') from people",
    "write to_char(x, 'YYYY-MM') or strftime('%Y-%m', x)",
  ],
  ["select 2 ^ 3", "write power(a, b)"],
  [`${Array.from({ length: 400 }, () => "select 1").join(" union all ")}`, "more than 100 SELECTs"],
  [
    `with ${Array.from({ length: 400 }, (_, at) => `c${at} as (select 1 as x)`).join(", ")} select * from c0`,
    "more than 100 SELECTs",
  ],
  [
    `select count(*) from people p0 ${Array.from({ length: 41 }, (_, at) => `join people p${at + 1} using (id)`).join(" ")}`,
    "joins more than 40 tables",
  ],
  [
    `with ${Array.from({ length: 6 }, (_, at) => `c${at} as not materialized (select x.id from ${at === 0 ? "people x join people y" : `c${at - 1} x join c${at - 1} y`} using (id))`).join(", ")} select count(*) from c5`,
    "joins more than 40 tables",
  ],
  [
    `with ${Array.from({ length: 12 }, (_, at) => `c${at} as (select x.id from ${at === 0 ? "people x join people y" : `c${at - 1} x join c${at - 1} y`} using (id) group by x.id)`).join(", ")} select count(*) from c11`,
    "reads more than 1000 tables",
  ],
])("refuses %.60s with a suggestion", async (statement, expected) => {
  const plan = await parseSql(statement, { details });
  expect(plan.ok ? [] : plan.issues.map(({ message }) => message)).toEqual([
    expect.stringContaining(expected),
  ]);
});

it("accepts ceil and floor in each dialect", async () => {
  const plan = await parseSql("select ceil(pay / 2.0), floor(pay) from people", { details });
  expect(plan).toMatchObject({ ok: true, value: { dialects: ["postgresql", "sqlite", "duckdb"] } });
});

describe("hostile statements", () => {
  it.each([
    "drop table people",
    "delete from people",
    "insert into people values (1)",
    "update people set pay = 0",
    "select 1; select 2",
    "select * from people; drop table people",
    "with gone as (delete from people returning *) select * from gone",
    "select * into copy from people",
    "select * from people for update",
    "create table x as select * from people",
    "explain select * from people",
    "pragma table_info(people)",
    "attach 'other.db' as other",
    "copy people to 'out.csv'",
    "copy (select * from people) to 'out.csv'",
    "set search_path = secret",
    "show tables",
    "describe people",
    "call pg_sleep(10)",
    "vacuum",
    "install httpfs",
    "load 'extension'",
    "select * from secrets",
    "select * from sqlite_master",
    "select * from main.sqlite_schema",
    "select * from pg_catalog.pg_authid",
    "select * from information_schema.tables",
    "select * from other.people2",
    "select * from 'people.csv'",
    'select * from "/etc/passwd"',
    "select * from read_csv('/etc/passwd')",
    "select * from read_text('/etc/passwd')",
    "select * from glob('/*')",
    "select * from duckdb_settings()",
    "select * from pragma_table_info('people')",
    "select * from pg_ls_dir('/')",
    "select * from dblink('host=evil', 'select 1') as t(a int)",
    "select pg_read_file('/etc/passwd')",
    "select lo_import('/etc/passwd')",
    "select load_extension('evil')",
    "select writefile('x', 'y')",
    "select readfile('/etc/passwd')",
    "select current_setting('data_directory')",
    "select set_config('role', 'admin', false)",
    "select query_to_xml('select * from pg_authid', true, true, '')",
    "select getenv('HOME')",
    "select pg_sleep(100)",
    "select getvariable('x')",
    "select nextval('people_id_seq')",
    "select version()",
    "select current_user",
    "select session_user, user",
    "select rowid from people",
    "select ctid, xmin, tableoid from people",
    "select people from people",
    "select p from people p",
    "select (p).pay from people p",
    "select row_to_json(p) from people p",
    "select 'pg_authid'::regclass",
    "select $$text$$",
    "select ?",
    "select $1",
    "select :name",
    "select E'\\x41'",
    "select U&'\\0041'",
    "select id from people where team = $tag$x$tag$",
    "select @@version",
    "select id /* nested /* comment */ from people */ from secrets",
    "select id from people -- \n union select * from secrets",
    "table secrets",
    "from secrets",
    "select columns('.*') from people",
    "select * replace (1 as id) from people",
    "select id from people tablesample system (1)",
    "select id from people limit (select pay from secrets)",
    "select id from people order by (select 1 from secrets)",
    "select sum(id) over (order by (select max(pay) from secrets)) from people",
    "select id from people group by (select 1 from secrets)",
    "values ((select pay from secrets))",
    "select (with x as (select * from secrets) select 1)",
    "select * from (with people as (select 1 as id) select * from people) a, secrets",
  ])("refuses %s", async (text) => {
    const result = await parseSql(text, { details });
    expect(result.ok ? "accepted" : result.issues.length > 0).toBe(true);
  });

  it("accepts similar but harmless statements", async () => {
    const texts = [
      "select id from people where team = 'drop table people; --'",
      "select id /* from secrets */ from people -- or more",
      'select "pay" from "people"',
      "with secrets as (select id from people) select * from secrets",
    ];
    for (const text of texts) expect(await parseSql(text, { details })).toMatchObject({ ok: true });
  });
});

it("refuses statements that would break the parser for all later ones", async () => {
  const inner = Array.from({ length: 45 }).reduce<string>(
    (text) => `select (${text}) as id from people`,
    `select pay${" || pay".repeat(340)} as id from people`,
  );
  const chains = [" || id", " and id = 1", " is null", "::text", " -> 'a'", " between 1 and 2"];
  const texts = chains.flatMap((chain) => [
    `select id${chain.repeat(5_000)} from people`,
    `select E'\\'' || id${chain.repeat(900)} || '' from people`,
    `select $$'$$ || id${chain.repeat(900)} || '' from people`,
  ]);
  for (const text of [...texts, inner]) {
    expect(await parseSql(text, { details })).toMatchObject({ ok: false });
    expect(await parseSql("select id from people", { details })).toMatchObject({ ok: true });
  }
  const list = Array.from({ length: 900 }, () => "'2024-01-01'").join(", ");
  const long = `select id from people where team in (${list})`;
  expect(await parseSql(long, { details })).toMatchObject({ ok: true });
});

let database: SqliteDatabase;
let engine: QueryEngine;

beforeAll(async () => {
  engine = await openDuckDbEngine();
  database = await openSqlite({ path: ":memory:" });
  database.exec(`CREATE TABLE people (id INTEGER, team TEXT, level INTEGER, pay INTEGER);
    CREATE TABLE teams (team TEXT COLLATE NOCASE, city TEXT);
    INSERT INTO people VALUES (1,'a',1,11),(2,'a',2,12),(3,'b',1,13),(4,'b',3,14),(5,'A',1,15),(6,NULL,2,16);
    INSERT INTO teams VALUES ('a','Rome'),('b','Oslo'),('A','Bern');`);
});

afterAll(async () => {
  await engine.close();
  database.close();
});

/** Each role's row rule, and the same rule as a function of the id. */
const roles = {
  a: { rule: "team = 'a'", sees: (id: number) => id === 1 || id === 2 },
  low: { rule: "level <= 1", sees: (id: number) => [1, 3, 5].includes(id) },
  odd: {
    rule: "level in (1, 3) and not (team = 'a')",
    sees: (id: number) => [3, 4, 5].includes(id),
  },
  broken: { rule: "level <", sees: () => false },
  none: { rule: "false", sees: () => false },
} as const;
type Role = keyof typeof roles;

function accessOf(role: Role): QueryAccess {
  return {
    canRead: ({ column }) => column?.name !== "pay" && column?.name !== "level",
    rowsOf: ({ resource }) => (resource.id === "res:people" ? roles[role].rule : undefined),
  };
}

const aliases = fc.constantFrom("people", "people p", "people as people");
const wheres = fc.constantFrom(
  "",
  " where 1 = 1 or team = 'b'",
  " where id in (select id from people)",
  " where exists (select 1 from people q where q.id > 0)",
  " where team ilike '%' or team is null",
  " where not (team = 'a')",
);
const statements = fc
  .tuple(aliases, wheres, fc.integer({ min: 0, max: 6 }))
  .map(([table, where, shape]) => {
    const plain = `select id from ${table}${where}`;
    return (
      [
        plain,
        `select * from (${plain}) x`,
        `with people2 as (${plain}) select id from people2`,
        `${plain} union all select id from people`,
        `select max(id) as id from (${plain}) x group by x.id`,
        `select a.id from people a left join people b on b.id = a.id full join teams t on t.team = a.team where a.id is not null`,
        `select * from ${table} natural join teams`,
      ][shape] ?? plain
    );
  });

describe("row rules", () => {
  it("hide every forbidden row, whatever the statement", async () => {
    const options = { details, connectors: { [address]: sqlConnector(database) }, engine };
    const roleNames = fc.constantFrom<Role[]>("a", "low", "odd", "broken", "none");
    let seen = 0;
    await fc.assert(
      fc.asyncProperty(roleNames, statements, async (role, text) => {
        const rows = await runSql(text, { ...options, access: accessOf(role) });
        seen += rows.length;
        for (const row of rows) {
          expect(roles[role].sees(Number(row["id"]))).toBe(true);
          expect(Object.keys(row)).not.toContain("pay");
        }
      }),
      { numRuns: 60 },
    );
    // The control: without a rule the same statements return rows.
    expect(seen).toBeGreaterThan(0);
    expect(await runSql("select id from people", options)).toHaveLength(6);
  });

  it("apply to plans and may read hidden columns", async () => {
    const plan = parseLogicalPlan("scan(res:people)→project(id)→sort(id)");
    if (!plan.ok) throw new Error("The plan is not read.");
    for (const role of ["a", "low", "odd", "broken", "none"] as const) {
      const result = await executePlan(plan.value, {
        details,
        connectors: { [address]: sqlConnector(database) },
        engine,
        access: accessOf(role),
      });
      const ids = (await result.all()).map(({ id }) => Number(id));
      expect(ids).toEqual([1, 2, 3, 4, 5, 6].filter((id) => roles[role].sees(id)));
    }
  });

  it("do not reveal hidden columns", async () => {
    for (const text of [
      "select pay from people",
      "select id from people order by pay",
      "select count(*) from people where level > 1",
    ])
      expect(await parseSql(text, { details, access: accessOf("a") })).toMatchObject({
        ok: false,
        issues: [{ code: "column_unknown" }],
      });
  });
});
