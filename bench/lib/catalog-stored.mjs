// The catalog's indexes in databases, each in an empty one of its own.
import { mkdtemp, rm, stat } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { openPostgresSearchIndex } from "../../packages/catalog/dist/postgres/index.js";
import { openSqliteSearchIndex } from "../../packages/catalog/dist/sqlite/index.js";
import { openSqlite } from "../../packages/sql/dist/node/index.js";
import { catalogEngine } from "./catalog-engines.mjs";

const requireOfCatalog = createRequire(
  new URL("../../packages/catalog/package.json", import.meta.url),
);

/** What stands in the text where there is no server to measure. */
export const withoutPostgres = "PostgreSQL was not measured: CCL_POSTGRES_URL is not set.";

/** By name, as `engines`, but opened, and with `sizeBytes()` and `close()`. PostgreSQL only where CCL_POSTGRES_URL is set. */
export const storedEngines = {
  "@ccl/catalog, SQLite file": openInSqlite,
  ...(process.env.CCL_POSTGRES_URL === undefined
    ? {}
    : { "@ccl/catalog, PostgreSQL": openInPostgres }),
};

async function openInSqlite() {
  const folder = await mkdtemp(join(tmpdir(), "ccl-bench-"));
  const path = join(folder, "catalog.db");
  const database = await openSqlite({ path });
  const engine = catalogEngine(await openSqliteSearchIndex({ database }));
  const sizeBytes = async () => (await stat(path)).size;
  const close = async () => {
    database.close();
    await rm(folder, { recursive: true });
  };
  return { ...engine, sizeBytes, close };
}

async function openInPostgres() {
  const pg = requireOfCatalog("pg");
  const connectionString = process.env.CCL_POSTGRES_URL;
  const schema = `ccl_bench_${process.pid}`;
  const admin = new pg.Client({ connectionString });
  await admin.connect();
  await admin.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE; CREATE SCHEMA ${schema}`);
  const client = new pg.Pool({ connectionString, options: `-c search_path=${schema}` });
  const engine = catalogEngine(await openPostgresSearchIndex({ client }));
  const sizeBytes = async () => {
    const tables = `SELECT oid FROM pg_class WHERE relkind = 'r' AND relnamespace = '${schema}'::regnamespace`;
    const { rows } = await admin.query(
      `SELECT sum(pg_total_relation_size(oid)) AS bytes FROM (${tables}) AS tables`,
    );
    return Number(rows[0].bytes);
  };
  const close = async () => {
    await client.end();
    await admin.query(`DROP SCHEMA ${schema} CASCADE`);
    await admin.end();
  };
  return { ...engine, sizeBytes, close };
}
