import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ResourceDetails } from "@ccl/catalog";
import type { SqliteDatabase } from "@ccl/sql";
import { openSqlite } from "@ccl/sql/node";
import { PGlite } from "@electric-sql/pglite";
import pg from "pg";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Connector, QueryEngine } from "../connector/connector.ts";
import { createMemoryConnector } from "../connector/create-memory-connector.ts";
import { openDuckDbEngine } from "../duckdb/open-duckdb-engine.ts";
import { QueryError } from "../query-error.ts";
import { sqlConnector } from "../sql/sql-connector.ts";
import { runSql } from "./run-sql.ts";
import { isAtLeast } from "../../../../scripts/lengths/test-length.mjs";

const isLong = isAtLeast("faults");
const url = process.env["CCL_POSTGRES_URL"];
const address = "ada://any/db/main";
const rows = 20_000;
const details: ResourceDetails[] = [
  {
    id: "res:bomb_t",
    uri: `${address}/bomb_t`,
    kind: "tabular",
    title: "bomb_t",
    columns: [
      { name: "a", type: "integer" },
      { name: "s", type: "text" },
    ],
  },
];
const counting = (max: string): string =>
  `with recursive c as (select 1 as x union all select x + 1 from c where x < ${max}) select count(*) as n from c`;
const nested = (start: string, wrap: (inner: string) => string, depth: number): string =>
  Array.from({ length: depth }).reduce<string>((inner) => wrap(inner), start);

/** Some of these run at every test length. */
const bombs: readonly string[] = [
  "select count(*) as n from bomb_t x cross join bomb_t y cross join bomb_t z",
  counting("1000000000000"),
  "select sum(length(repeat(s, 1000000))) as n from bomb_t",
  "select count(*) as n from bomb_t x, bomb_t y where x.s || y.s like '%a%b%c%d%e%'",
  "select count(*) as n from bomb_t x join bomb_t y on x.a < y.a join bomb_t z on z.a < y.a",
  "select x.a from bomb_t x cross join bomb_t y order by x.s || y.s desc limit 5",
  "select count(distinct x.s || y.s) as n from bomb_t x cross join bomb_t y",
  "with recursive c as (select 1 as x union all select x + 1 from c) select * from c",
  "with recursive c as (select 'a' as x union all select x || x from c) select max(length(x)) as n from c",
  "with recursive c as (select a from bomb_t union all select bomb_t.a from bomb_t join c on c.a >= 0) select count(*) as n from c",
  "select count(*) as n from generate_series(1, 1000000000000) g(x)",
  "select * from generate_series(1, 1000000000) g(x) order by x desc",
  "select repeat('x', 1000000000) as s",
  "select length(repeat(repeat(repeat('x', 1000), 1000), 1000)) as n",
  `select length(${nested("'a'", (inner) => `replace(${inner}, 'a', 'aaaaaaaaaa')`, 9)}) as n`,
  `select sum(length(${nested("s", (inner) => `replace(${inner}, 'a', 'aaaaaaaaaa')`, 6)})) as n from bomb_t`,
  `select count(*) as n from bomb_t where regexp_replace(${nested("s", (inner) => `${inner} || s`, 12)}, '(a*)*b', 'x', 'g') = 'y'`,
  "select (select count(*) from bomb_t y where y.a <> x.a and y.s > x.s) as n from bomb_t x",
  "select sum(x.a) over (order by y.s || x.s) as n from bomb_t x cross join bomb_t y",
  "select string_agg(x.s, ',') as n from bomb_t x cross join bomb_t y",
  `select ${nested("s", (inner) => `'[' || ${inner} || ${inner} || ']'`, 8)} as n from bomb_t x cross join (select 1 as one from bomb_t) y`,
];

let folder: string;
let engine: QueryEngine;
const databases: SqliteDatabase[] = [];
let postgres: PGlite;
let pool: pg.Pool | undefined;
const engines: Partial<Record<"file" | "memory" | "DuckDB" | "PGlite" | "PostgreSQL", Connector>> =
  {};

async function sqliteAt(path: string): Promise<Connector> {
  const database = await openSqlite({ path });
  databases.push(database);
  database.exec(
    `CREATE TABLE bomb_t (a INTEGER, s TEXT); INSERT INTO bomb_t WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < ${rows}) SELECT x, 'aaaa' || x FROM c`,
  );
  return sqlConnector(database);
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "ccl-bombs-"));
  engine = await openDuckDbEngine({ threads: 1, memoryMiB: 256 });
  engines.file = await sqliteAt(join(folder, "db.sqlite"));
  engines.memory = await sqliteAt(":memory:");
  const list = Array.from({ length: rows }, (_, at) => ({ a: at + 1, s: `aaaa${at + 1}` }));
  engines.DuckDB = createMemoryConnector({ "res:bomb_t": list });
  const ddl = `DROP TABLE IF EXISTS bomb_t; CREATE TABLE bomb_t AS SELECT x AS a, 'aaaa' || x AS s FROM generate_series(1, ${rows}) g(x)`;
  if (isLong) {
    postgres = await PGlite.create();
    await postgres.exec(ddl);
    engines.PGlite = sqlConnector(postgres);
  }
  if (isLong && url !== undefined) {
    pool = new pg.Pool({ connectionString: url });
    await pool.query(ddl);
    engines.PostgreSQL = sqlConnector(pool);
  }
}, 180_000);

afterAll(async () => {
  await engine.close();
  for (const database of databases) database.close();
  if (isLong) await postgres.close();
  await pool?.query("DROP TABLE IF EXISTS bomb_t");
  await pool?.end();
  rmSync(folder, { recursive: true, force: true });
});

const timeoutMs = isLong ? 2_000 : 400;

interface Blast {
  end: string;
  tookMs: number;
  /**
   * Longest time in which the event loop had no turn, without the time in which this thread waited
   * for a processor.
   */
  lagMs: number;
}

/**
 * How many milliseconds this thread was ready to run but had no processor. 0 if the system does not
 * report it.
 */
function waitedMs(): number {
  try {
    return Number(readFileSync("/proc/thread-self/schedstat", "utf8").split(" ")[1]) / 1e6;
  } catch {
    return 0;
  }
}

async function blast(
  text: string,
  connector: Connector,
  limits: { timeoutMs: number } = { timeoutMs },
): Promise<Blast> {
  let lagMs = 0;
  const startMs = performance.now();
  let turned = { atMs: startMs, waitedMs: waitedMs() };
  const timer = setInterval(() => {
    const now = { atMs: performance.now(), waitedMs: waitedMs() };
    const waited = now.waitedMs - turned.waitedMs;
    lagMs = Math.max(lagMs, now.atMs - turned.atMs - waited - 5);
    turned = now;
  }, 5);
  const options = { details, connectors: { [address]: connector }, engine, limits };
  const end = await runSql(text, options).then(
    (found) => `${found.length} rows`,
    (error: unknown) => (QueryError.isInstance(error) ? error.code : String(error)),
  );
  const tookMs = performance.now() - startMs;
  await new Promise((resolve) => setTimeout(resolve, 10));
  clearInterval(timer);
  return { end, tookMs, lagMs };
}

const goals = { tookMs: timeoutMs * 1.2, lagMs: 50 };
const misses = ({ tookMs, lagMs }: Blast): boolean => tookMs > goals.tookMs || lagMs > goals.lagMs;

const small = "select count(*) as n from bomb_t";
const attempts = isLong ? 4 : 1;

/**
 * Measures again if a goal is missed. The smallest figures show the statement, the others the load
 * of the machine.
 */
async function measured(...blasted: Parameters<typeof blast>): Promise<Blast> {
  let best = await blast(...blasted);
  for (let attempt = 1; attempt < attempts && misses(best); attempt++) {
    const { end, tookMs, lagMs } = await blast(...blasted);
    best = { end, tookMs: Math.min(best.tookMs, tookMs), lagMs: Math.min(best.lagMs, lagMs) };
  }
  return best;
}

/** Blocks the thread before each read. */
function blocking(connector: Connector): Connector {
  return {
    ...connector,
    sql: undefined,
    run(...given) {
      const startMs = performance.now() - waitedMs();
      while (performance.now() - waitedMs() - startMs < goals.lagMs * 2);
      return connector.run(...given);
    },
  };
}

function tableOf(blasts: Readonly<Record<string, Blast>>): string {
  const lines = Object.entries(blasts).map(
    ([text, { end, tookMs, lagMs }]) =>
      `${(tookMs / timeoutMs).toFixed(2)} ${lagMs.toFixed(0).padStart(4)} ms ${end.padEnd(15)} ${text.slice(0, 60)}`,
  );
  return lines.join("\n");
}

it.runIf(isLong)(
  "the measurement detects a late end and a source that blocks the thread",
  async () => {
    const { DuckDB: connector } = engines;
    const [long = ""] = bombs;
    if (connector === undefined) throw new Error("There is no source.");
    const late = await blast(long, connector, { timeoutMs: timeoutMs * 1.5 });
    expect(late.tookMs).toBeGreaterThan(goals.tookMs);
    const kept = await blast(small, blocking(connector), { timeoutMs: 60_000 });
    expect(kept.lagMs).toBeGreaterThan(goals.lagMs);
  },
);

it.each(["file", "memory", "DuckDB", "PGlite", "PostgreSQL"] as const)(
  "statements that would run for hours end in time on %s",
  async (name) => {
    const connector = engines[name];
    if (connector === undefined) return;
    await blast(small, connector);
    const blasts: Record<string, Blast> = {};
    for (const text of isLong ? bombs : bombs.slice(0, 3))
      blasts[text] = await measured(text, connector);
    // Starting a process blocks the thread, longer the more memory this one has, and each killed
    // reader is replaced.
    const missed = Object.entries(blasts).filter(([, found]) =>
      name === "file" ? found.tookMs > goals.tookMs : misses(found),
    );
    if (isLong) console.log(`${name}: time / deadline, lag\n${tableOf(blasts)}`);
    expect(isLong ? missed : []).toEqual([]);
    const known = new Set(["limit_exceeded", "plan_invalid", "engine_failed"]);
    expect(
      Object.values(blasts).filter(({ end }) => !known.has(end) && !end.endsWith(" rows")),
    ).toEqual([]);
    // Small statements still run.
    expect(await blast(small, connector, { timeoutMs: 60_000 })).toMatchObject({ end: "1 rows" });
  },
  600_000,
);
