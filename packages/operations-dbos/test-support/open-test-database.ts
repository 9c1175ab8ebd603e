import { randomUUID } from "node:crypto";

import pg from "pg";

import { findPostgres, startPostgres } from "../../../scripts/services/postgres-server.mjs";

/** True where there is a server to be had. */
export const hasPostgres: boolean =
  process.env["CCL_POSTGRES_URL"] !== undefined || findPostgres() !== undefined;

/** A database of its own. */
export interface TestDatabase {
  url: string;
  pool: pg.Pool;
  close(): Promise<void>;
}

/** Makes a database on the server that the environment names, or on one of its own. */
export async function openTestDatabase(): Promise<TestDatabase> {
  const known = process.env["CCL_POSTGRES_URL"];
  const server = known === undefined ? await startPostgres() : undefined;
  const url = new URL(known ?? server?.url ?? "");
  const name = `ccl_dbos_${randomUUID().replaceAll("-", "")}`;
  const run = async (statement: string): Promise<void> => {
    const admin = new pg.Client({ connectionString: known ?? server?.url });
    await admin.connect();
    await admin.query(statement);
    await admin.end();
  };
  await run(`CREATE DATABASE ${name}`);
  url.pathname = `/${name}`;
  const pool = new pg.Pool({ connectionString: url.href });
  pool.on("error", () => undefined);
  return {
    url: url.href,
    pool,
    async close() {
      await pool.end();
      if (server === undefined) await run(`DROP DATABASE ${name} WITH (FORCE)`);
      else await server.stop();
    },
  };
}
