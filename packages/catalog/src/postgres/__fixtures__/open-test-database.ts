import { PGlite, type Transaction } from "@electric-sql/pglite";
import type { PostgresClient } from "@ccl/sql";
import pg from "pg";
import { isAtLeast } from "../../../../../scripts/lengths/test-length.mjs";

const url = process.env["CCL_POSTGRES_URL"];
if (url === undefined) console.warn("CCL_POSTGRES_URL is not set: the PostgreSQL catalog is tried on PGlite only.");

// PGlite takes ten times as long, so that beside a server it stands for itself only in the longer runs.
const isAtLength = isAtLeast("faults");

/** Where the tests of a store run. */
export const databaseKinds: string[] =
  url === undefined ? ["PGlite"] : isAtLength ? ["PGlite", "PostgreSQL"] : ["PostgreSQL"];

/** Tables of a test's own. */
export interface TestDatabase {
  client: PostgresClient;
  exec(sql: string): Promise<unknown>;
  close(): Promise<void>;
}

/** An empty schema: on the server, or in the PGlite of the test file. */
export async function openTestDatabase(kind: string, schema: string): Promise<TestDatabase> {
  return kind === "PostgreSQL" ? openOnServer(schema) : openInPglite(schema);
}

async function openOnServer(schema: string): Promise<TestDatabase> {
  const admin = new pg.Client({ connectionString: url });
  await admin.connect();
  await admin.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE; CREATE SCHEMA ${schema}`);
  await admin.end();
  const client = new pg.Pool({ connectionString: url, options: `-c search_path=${schema}` });
  return { client, exec: (sql) => client.query(sql), close: () => client.end() };
}

let pglite: Promise<PGlite> | undefined;

async function openInPglite(schema: string): Promise<TestDatabase> {
  pglite ??= PGlite.create();
  const shared = await pglite;
  await shared.exec(`DROP SCHEMA IF EXISTS ${schema} CASCADE; CREATE SCHEMA ${schema}`);
  // PGlite has one connection, so that the schema is chosen for each transaction.
  const transaction = <Value>(action: (lent: Transaction) => Promise<Value>): Promise<Value> =>
    shared.transaction(async (lent) => {
      await lent.exec(`SET LOCAL search_path = ${schema}, public`);
      return action(lent);
    });
  const exec = (sql: string): Promise<unknown> => transaction((lent) => lent.exec(sql));
  const query = (sql: string, parameters?: unknown[]): ReturnType<Transaction["query"]> =>
    transaction((lent) => lent.query(sql, parameters));
  const client = { exec, query, transaction };
  return { client, exec, close: async () => undefined };
}

/** Stops the PGlite of the test file. */
export async function closePglite(): Promise<void> {
  await (await pglite)?.close();
  pglite = undefined;
}
