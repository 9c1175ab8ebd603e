import { readdir, stat } from "node:fs/promises";
import { join, resolve } from "node:path";

import { CclError } from "@ccl/core";
import type { OperationStores, RunEvent, StoredRun } from "@ccl/operations";
import { createPostgresSession, type PostgresClient, type SqliteDatabase } from "@ccl/sql";
import { openSqlite } from "@ccl/sql/node";

import { withPostgres } from "./catalog/load-sql.ts";
import { CliError, usageError } from "./cli-error.ts";
import type { Session } from "./session.ts";

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
      "Name the store: --store <SQLite file or folder>, --postgres <url>, or the variable CCL_STORE.",
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
  const which =
    files.length === 0 ? "no SQLite file" : `several SQLite files (${files.join(", ")})`;
  throw new CliError("source_failed", `The folder ${path} contains ${which}. Name the file.`);
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
    const message = `${path} is not a readable SQLite database.`;
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
    `${where} contains no runs of @ccl/operations. Name the store of your application.`,
  );
}

/** Loads a run by its id. @throws CliError `usage` */
export async function loadRun(
  { runs }: Pick<OperationStores, "runs">,
  id: string,
): Promise<StoredRun> {
  const run = await runs.loadRun(id);
  if (run !== undefined) return run;
  throw usageError(`The store has no run ${JSON.stringify(id)}; see ccl run list.`);
}

/** Loads the newest runs, and says whether there are more. Excludes ended runs unless all are requested. */
export async function newestRuns(
  { runs }: Pick<OperationStores, "runs">,
  { all, limit }: { all: boolean; limit: number },
): Promise<{ runs: StoredRun[]; hasMore: boolean }> {
  const ids: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await runs.listRuns({ all, cursor, limit: Math.min(limit - ids.length, 1_000) });
    ids.push(...page.runs.map(({ runId }) => runId));
    cursor = page.cursor;
  } while (cursor !== undefined && ids.length < limit);
  const found = await Promise.all(ids.map((id) => runs.loadRun(id)));
  return { runs: found.filter((run) => run !== undefined), hasMore: cursor !== undefined };
}

/** Reads all events of a run. */
export async function allEvents(
  { runs }: Pick<OperationStores, "runs">,
  runId: string,
): Promise<RunEvent[]> {
  const events: RunEvent[] = [];
  for (;;) {
    const page = await runs.readEvents(runId, { afterSeq: events.at(-1)?.seq, limit: 1_000 });
    events.push(...page);
    if (page.length < 1_000) return events;
  }
}
