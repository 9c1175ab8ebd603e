import { throwIfAborted } from "@ccl/core/async";
import { SqlError } from "../sql-error.ts";
import { applySettings, checkSettings, type SqliteSettings } from "../sqlite/open-sqlite-handle.ts";
import { SqliteConnection } from "../sqlite/sqlite-connection.ts";
import type { SqliteDatabase, SqliteHandle } from "../sqlite/sqlite-database.ts";
import { sqliteErrorOf } from "../sqlite/sqlite-error-of.ts";
import {
  findSqliteDriver,
  type SqliteDriver,
  type SqliteDriverName,
} from "./find-sqlite-driver.ts";
import { createProcessReader } from "./read-in-process.ts";
import { readOnlyAddress } from "./read-only-address.ts";

/** Options of `openSqlite`. */
export interface OpenSqliteOptions extends SqliteSettings {
  /** Path of the file, or `:memory:`. The file is created if missing, but its folder must exist. */
  path: string;
  /** Defaults to the first available driver: node:sqlite, then @photostructure/sqlite. */
  driver?: SqliteDriverName | undefined;
}

/**
 * Opens a database file in WAL mode with foreign keys on, and verifies each setting. Within one
 * process, open a file with only one driver: two copies of SQLite in a process break each other's
 * locks.
 * @throws SqlError `no_driver`, `open_failed`, `damaged`, `busy`, `disk_full`, `read_only`,
 * `invalid_input`, `aborted`
 */
export async function openSqlite(options: OpenSqliteOptions): Promise<SqliteDatabase> {
  const { path, readOnly = false } = options;
  checkSettings(options);
  if (typeof path !== "string")
    throw new SqlError("invalid_input", "Give the path of the database.");
  throwIfAborted(options.signal, SqlError);
  const driver = findSqliteDriver(options.driver);
  const handle = await openFile(driver, path, readOnly);
  const isFile = path !== "" && path !== ":memory:" && !path.startsWith("file:");
  const reader = isFile
    ? createProcessReader({
        driver: driver.name,
        address: () => readerAddress(path, readOnly),
        busyTimeoutMs: options.busyTimeoutMs ?? 5000,
      })
    : undefined;
  const wrapped = { ...options, driver: driver.name, ownsHandle: true, reader };
  return applySettings(new SqliteConnection(handle, wrapped), options);
}

function readerAddress(path: string, readOnly: boolean): Promise<string> {
  const absolute = process.getBuiltinModule("node:path").resolve(path);
  return readOnly ? readOnlyAddress(absolute) : Promise.resolve(absolute);
}

async function openFile(
  driver: SqliteDriver,
  path: string,
  readOnly: boolean,
): Promise<SqliteHandle> {
  try {
    return driver.open(readOnly ? await readOnlyAddress(path) : path, { readOnly });
  } catch (error) {
    const { code, message } = sqliteErrorOf(error);
    const isOwnCode = code !== "statement_failed";
    throw new SqlError(isOwnCode ? code : "open_failed", `Could not open "${path}". ${message}`, {
      cause: error,
    });
  }
}
