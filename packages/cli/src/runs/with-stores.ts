import { readdir, stat } from "node:fs/promises";
import { join, resolve } from "node:path";

import { CclError } from "@ccl/core";
import type { OperationStores } from "@ccl/operations";
import { createPostgresSession, type PostgresClient, type SqliteDatabase } from "@ccl/sql";
import { openSqlite } from "@ccl/sql/node";

import { withPostgres } from "../catalog/load-sql.ts";
import { CliError, usageError } from "../cli-error.ts";
import type { Session } from "../session.ts";

/** Flags that choose the store. */
export interface StoreFlags {
  store?: string | undefined;
  postgres?: string | undefined;
  isReadOnly?: boolean | undefined;
}

/** Opens the stores that the flags choose, and closes them after `work`. @throws CliError, OperationsError */
export async function withStores<Value>(
  session: Session,
  { store, postgres: address, isReadOnly = false }: StoreFlags,
  work: (stores: OperationStores) => Promise<Value>,
): Promise<Value> {
  const { signal } = session;
  if (address !== undefined) {
    const { openPostgresOperationStores } = await import("@ccl/operations/postgres");
    let isConnected = false;
    try {
      return await withPostgres(session, { address, isReadOnly }, async (client) => {
        isConnected = true;
        await requireTables(client);
        return work(await openPostgresOperationStores({ client, signal }));
      });
    } catch (cause) {
      if (isConnected || !(cause instanceof Error) || CliError.isInstance(cause)) throw cause;
      const message = `PostgreSQL can't be reached: ${cause.message || "no answer"}.`;
      throw new CliError("source_failed", message, { cause });
    }
  }
  const named = store ?? session.terminal.env["CCL_STORE"];
  if (named === undefined || named === "")
    throw usageError(
      "Say where the runs are: --store <SQLite file or folder>, --postgres <url>, or set CCL_STORE.",
    );
  const path = await fileOf(resolve(session.root, named));
  const { openSqliteOperationStores } = await import("@ccl/operations/sqlite");
  const client = await openRuns(path, isReadOnly);
  try {
    return await work(await openSqliteOperationStores({ client, signal }));
  } finally {
    client.close();
  }
}

/** Returns the file itself, or the only database in the folder. */
async function fileOf(path: string): Promise<string> {
  const found = await stat(path).catch(() => undefined);
  if (found?.isFile()) return path;
  if (!found?.isDirectory())
    throw new CliError(
      "source_failed",
      `There is no file or folder at ${path}. Name the SQLite file of the runs.`,
    );
  const files = (await readdir(path)).filter((name) => /\.(?:sqlite3?|db)$/.test(name)).sort();
  const [only] = files;
  if (files.length === 1 && only !== undefined) return join(path, only);
  const which = files.length === 0 ? "no SQLite file" : `several: ${files.join(", ")}`;
  throw new CliError("source_failed", `The folder ${path} holds ${which}; name the file.`);
}

// Reading a database that is not a store must not create tables in it.
async function openRuns(path: string, isReadOnly: boolean): Promise<SqliteDatabase> {
  let database: SqliteDatabase | undefined;
  try {
    database = await openSqlite({ path, readOnly: true });
    const tables =
      "SELECT name FROM sqlite_master WHERE name IN ('ccl_records', 'ccl_operation_runs')";
    const found = database.prepare(tables).all();
    if (found.length === 0) throw noRuns(path);
    // Opening migrates tables of former versions, which writes.
    if (isReadOnly && found.every(({ name }) => name === "ccl_records")) return database;
    database.close();
    return await openSqlite({ path });
  } catch (cause) {
    database?.close();
    if (CliError.isInstance(cause)) throw cause;
    const isDriverMissing = CclError.isInstance(cause) && cause.code === "no_driver";
    const message = `${path} is not a SQLite database that can be read.`;
    throw new CliError("source_failed", isDriverMissing ? cause.message : message, { cause });
  }
}

async function requireTables(client: PostgresClient): Promise<void> {
  const session = createPostgresSession(client);
  const [row] = await session.query(
    "SELECT coalesce(to_regclass('ccl_records'), to_regclass('ccl_operation_runs'))::text AS found",
  );
  if (row?.["found"] === null) throw noRuns("The database");
}

function noRuns(where: string): CliError {
  return new CliError(
    "source_failed",
    `${where} holds no runs of @ccl/operations. Name the store of your application.`,
  );
}
