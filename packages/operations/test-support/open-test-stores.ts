import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PGlite } from "@electric-sql/pglite";
import { createPostgresSession, type PostgresClient } from "@ccl/sql";
import { openSqlite } from "@ccl/sql/node";
import pg from "pg";

import { openPostgresOperationStores } from "../src/postgres/index.ts";
import { openSqliteOperationStores } from "../src/sqlite/index.ts";
import type { OperationStores } from "../src/stores/create-operation-stores.ts";
import { isAtLeast } from "../../../scripts/lengths/test-length.mjs";

/** A database of a test file's own. */
export interface TestDatabase {
  /** Stores of one worker, on connections of its own where the database allows for it. */
  open(): Promise<OperationStores>;
  /** Transactions that may write since the last call. On PostgreSQL all of them, and statements that stood alone. */
  countCommits(): number;
  exec(sql: string): Promise<void>;
  /** Deletes everything that is stored. */
  empty(): Promise<void>;
  close(): Promise<void>;
}

const url = process.env["CCL_POSTGRES_URL"];
if (url === undefined)
  console.warn("CCL_POSTGRES_URL is not set: the PostgreSQL stores are tried on PGlite only.");

// PGlite takes ten times as long, so that beside a server it stands for itself only in the longer runs.
const isOnPglite = isAtLeast(url === undefined ? "ci" : "faults");

/** The kinds of databases that are tried. */
export const databaseKinds: readonly string[] = [
  "SQLite",
  ...(isOnPglite ? ["PGlite"] : []),
  ...(url === undefined ? [] : ["PostgreSQL"]),
];

/** Opens an empty database of a kind; `name` keeps test files apart on one server. */
export async function openTestDatabase(kind: string, name: string): Promise<TestDatabase> {
  if (kind === "SQLite") return openSqliteFile();
  if (kind === "PGlite") return overClient(await PGlite.create());
  const schema = `operation_${name}`;
  const admin = new pg.Client({ connectionString: url });
  await admin.connect();
  await admin.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE; CREATE SCHEMA ${schema}`);
  await admin.end();
  return overClient(
    new pg.Pool({ connectionString: url, max: 8, options: `-c search_path=${schema}` }),
  );
}

const emptyTables = "DELETE FROM ccl_records";

async function openSqliteFile(): Promise<TestDatabase> {
  const folder = await mkdtemp(join(tmpdir(), "ccl-operations-"));
  const path = join(folder, "operations.db");
  const database = await openSqlite({ path, durability: "off" });
  let commits = 0;
  const counting = {
    driver: database.driver,
    handle: database.handle,
    busyTimeoutMs: database.busyTimeoutMs,
    exec: database.exec.bind(database),
    prepare(sql: string) {
      if (sql === "BEGIN IMMEDIATE") commits += 1;
      return database.prepare(sql);
    },
    close: () => database.close(),
  };
  return {
    open: () => openSqliteOperationStores({ client: counting }),
    countCommits: () => {
      const count = commits;
      commits = 0;
      return count;
    },
    exec: async (sql) => database.exec(sql),
    empty: async () => database.exec(emptyTables),
    async close() {
      database.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function overClient(client: PGlite | pg.Pool): TestDatabase {
  let commits = 0;
  const counted = counting(client, () => {
    commits += 1;
  });
  return {
    open: () => openPostgresOperationStores({ client: counted }),
    countCommits: () => {
      const count = commits;
      commits = 0;
      return count;
    },
    exec: (sql) => createPostgresSession(client).exec(sql),
    empty: () => createPostgresSession(client).exec(emptyTables),
    close: async () => ("end" in client ? client.end() : client.close()),
  };
}

/** The client, with every transaction counted. */
function counting(client: PGlite | pg.Pool, onTransaction: () => void): PostgresClient {
  const own = "end" in client ? "connect" : "transaction";
  return new Proxy<PostgresClient>(client, {
    get(target, property) {
      const value: unknown = Reflect.get(target, property, target);
      if (typeof value !== "function") return value;
      return (...parameters: unknown[]): unknown => {
        if (property === own || property === "query") onTransaction();
        return Reflect.apply(value, target, parameters);
      };
    },
  });
}
