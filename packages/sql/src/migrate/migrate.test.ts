import { PGlite } from "@electric-sql/pglite";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { PostgresSession } from "../postgres/postgres-client.ts";
import { createPostgresSession } from "../postgres/postgres-session.ts";
import { openSqlite } from "../node/open-sqlite.ts";
import type { SqliteDatabase } from "../sqlite/sqlite-database.ts";
import { SqlError } from "../sql-error.ts";
import { transaction } from "../transaction/transaction.ts";
import { migrate, type Migration } from "./migrate.ts";
import { isAtLeast } from "../../../../scripts/lengths/test-length.mjs";

const url = process.env["CCL_POSTGRES_URL"];
if (url === undefined)
  console.warn("CCL_POSTGRES_URL is not set: migrations are tried on SQLite and PGlite only.");
const kinds = [
  "SQLite",
  ...(isAtLeast("ci") ? ["PGlite"] : []),
  ...(url === undefined ? [] : ["pg.Pool"]),
];

interface Steps extends Migration<SqliteDatabase>, Migration<PostgresSession> {
  up: string | ((on: SqliteDatabase | PostgresSession) => void | Promise<void>);
}

describe.each(kinds)("migrate on %s", (kind) => {
  let folder = "";
  /** Two connections to the same database, as two processes would have. */
  let run: ((component: string, migrations: Steps[]) => Promise<{ from: number; to: number }>)[] =
    [];
  let runReadOnly: (typeof run)[number];
  let exec: (sql: string) => Promise<void> | void;
  let close: () => unknown;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "ccl-sql-"));
    if (kind === "SQLite") {
      const open = () => openSqlite({ path: join(folder, "db.sqlite") });
      const databases = [await open(), await open()];
      run = databases.map(
        (database) => (component, migrations) => migrate(database, { component, migrations }),
      );
      runReadOnly = async (component, migrations) => {
        const database = await openSqlite({ path: join(folder, "db.sqlite"), readOnly: true });
        const end = () => database.close();
        return migrate(database, { component, migrations }).finally(end);
      };
      exec = (sql) => databases[0]?.exec(sql);
      close = () => databases.map((database) => database.close());
    } else {
      const client =
        kind === "PGlite" ? await PGlite.create() : new pg.Pool({ connectionString: url });
      const one = (component: string, migrations: Steps[]) =>
        migrate(client, { component, migrations });
      run = [one, one];
      runReadOnly = (component, migrations) =>
        transaction(client, (on) => migrate(on, { component, migrations }), { mode: "read" });
      exec = (sql) => createPostgresSession(client).exec(sql);
      close = () => ("end" in client ? client.end() : client.close());
      await exec("DROP TABLE IF EXISTS ccl_schema, first_table, second_table");
    }
  });
  afterAll(async () => {
    if (kind !== "SQLite") await exec("DROP TABLE IF EXISTS ccl_schema, first_table, second_table");
    await close();
    rmSync(folder, { recursive: true, force: true });
  });

  const steps: Steps[] = [
    { version: 1, up: "CREATE TABLE first_table (a INTEGER); INSERT INTO first_table VALUES (1)" },
    { version: 2, up: (on) => on.exec("CREATE TABLE second_table (b INTEGER)") },
  ];
  const migrateBoth = (component: string, migrations: Steps[]) =>
    Promise.all(run.map((one) => one(component, migrations)));

  it("runs each step once, even if two processes start together", async () => {
    const outcomes = await migrateBoth("shop", steps.slice(0, 1));
    expect(outcomes.map(({ to }) => to)).toEqual([1, 1]);
    expect(outcomes.map(({ from }) => from).sort()).toEqual([0, 1]);
  });

  it("runs only new steps", async () => {
    expect(await run[0]?.("shop", steps)).toEqual({ from: 1, to: 2 });
    expect(await run[1]?.("shop", steps)).toEqual({ from: 2, to: 2 });
  });

  it("does not lock for writing if the schema is up to date", async () => {
    expect(await runReadOnly("shop", steps)).toEqual({ from: 2, to: 2 });
    await expect(runReadOnly("late", steps)).rejects.toThrow(SqlError);
  });

  it("rejects tables of a newer program", async () => {
    await expect(run[0]?.("shop", steps.slice(0, 1))).rejects.toMatchObject({
      code: "schema_newer",
      details: { component: "shop", found: 2, known: 1 },
    });
  });

  it("changes nothing when a step fails", async () => {
    const broken: Steps[] = [
      { version: 1, up: "CREATE TABLE half (a INTEGER)" },
      { version: 2, up: "no sql" },
    ];
    await expect(run[0]?.("other", broken)).rejects.toMatchObject({ code: "statement_failed" });
    const repaired: Steps[] = [
      { version: 1, up: "CREATE TABLE half (a INTEGER); DROP TABLE half" },
    ];
    expect(await run[0]?.("other", repaired)).toEqual({ from: 0, to: 1 });
  });

  it.each([
    ["a gap", "shop", [steps[0], { version: 3, up: "SELECT 1" }]],
    ["a component that is not a name", "Shop; --", steps],
  ])("rejects %s", async (_name, component, migrations) => {
    await expect(run[0]?.(component, migrations as Steps[])).rejects.toMatchObject({
      code: "invalid_input",
    });
  });
});
