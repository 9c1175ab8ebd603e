import { SqlError, throwIfAborted } from "../sql-error.ts";
import { retryWhileBusy } from "../transaction/retry-while-busy.ts";
import { findSqliteDriver, type SqliteDriverName } from "./find-sqlite-driver.ts";
import { readOnlyAddress } from "./read-only-address.ts";
import { SqliteConnection } from "./sqlite-connection.ts";
import type { SqliteDatabase, SqliteHandle } from "./sqlite-database.ts";
import { sqliteErrorOf } from "./sqlite-error-of.ts";

/**
 * What a commit outlives. `full`: a power cut; `normal`: a power cut may undo the latest commits but leaves the database
 * whole; `off`: the death of the process, and a power cut may damage the file.
 */
export type SqliteDurability = "full" | "normal" | "off";

/** Which database, and how it keeps what is written. */
export interface OpenSqliteOptions {
  /** A file, made when it is not there (its folder must be), or `:memory:`. Not needed with a handle. */
  path?: string | undefined;
  /** A driver's name, or a handle that is open already: a better-sqlite3 `Database`, a `DatabaseSync`. The first driver that is there by default. */
  driver?: SqliteDriverName | SqliteHandle | undefined;
  /** `full` by default. */
  durability?: SqliteDurability | undefined;
  /** How long a statement waits for another connection's lock, 5,000 by default. `transaction` waits without blocking the thread. */
  busyTimeoutMs?: number | undefined;
  /**
   * True: an existing file is read and never changed, nor are files made beside it; `durability` means nothing then, and
   * what would write fails with `read_only`. A handle is told to refuse writes from then on.
   */
  readOnly?: boolean | undefined;
  signal?: AbortSignal | undefined;
}

const synchronousLevels = { full: 2, normal: 1, off: 0 } as const;

/**
 * Opens a database in WAL mode with foreign keys on, and reads each setting back. Open a file with one driver only in a
 * process: two copies of SQLite in one process break each other's locks.
 * @throws SqlError `no_driver`, `open_failed`, `corrupt`, `busy`, `disk_full`, `read_only`, `invalid_input`, `aborted`
 */
export async function openSqlite(options: OpenSqliteOptions): Promise<SqliteDatabase> {
  const { durability = "full", busyTimeoutMs = 5000, readOnly = false, signal } = options;
  checkOptions({ durability, busyTimeoutMs });
  throwIfAborted(signal);
  const connection = await connect(options, busyTimeoutMs);
  const apply = (): void =>
    readOnly ? applyReadOnly(connection) : applySettings(connection, durability);
  try {
    await retryWhileBusy(apply, { timeoutMs: busyTimeoutMs, signal });
    return connection;
  } catch (error) {
    connection.close();
    throw error;
  }
}

function checkOptions({
  durability,
  busyTimeoutMs,
}: {
  durability: string;
  busyTimeoutMs: number;
}): void {
  if (!Object.hasOwn(synchronousLevels, durability)) {
    throw new SqlError(
      "invalid_input",
      `durability "${durability}" is none of full, normal and off.`,
    );
  }
  if (!Number.isSafeInteger(busyTimeoutMs) || busyTimeoutMs < 0) {
    throw new SqlError(
      "invalid_input",
      `busyTimeoutMs must be a whole number from 0, not ${busyTimeoutMs}.`,
    );
  }
}

async function connect(
  options: OpenSqliteOptions,
  busyTimeoutMs: number,
): Promise<SqliteConnection> {
  const { path, driver, readOnly = false } = options;
  if (typeof driver === "object")
    return new SqliteConnection(driver, {
      driver: "handle",
      busyTimeoutMs,
      ownsHandle: false,
      readOnly,
    });
  if (path === undefined)
    throw new SqlError("invalid_input", "Give the path of the database, or an open handle.");
  const found = await findSqliteDriver(driver);
  throwIfAborted(options.signal);
  try {
    const handle = found.open(readOnly ? await readOnlyAddress(path) : path, { readOnly });
    return new SqliteConnection(handle, {
      driver: found.name,
      busyTimeoutMs,
      ownsHandle: true,
      readOnly,
    });
  } catch (error) {
    throw openErrorOf(error, path);
  }
}

function openErrorOf(error: unknown, path: string): SqlError {
  const { code, message } = sqliteErrorOf(error);
  const isOwnCode = code !== "statement_failed";
  return new SqlError(isOwnCode ? code : "open_failed", `Could not open "${path}". ${message}`, {
    cause: error,
  });
}

function applySettings(connection: SqliteConnection, durability: SqliteDurability): void {
  const level = synchronousLevels[durability];
  connection.exec(`PRAGMA busy_timeout = ${connection.busyTimeoutMs}`);
  connection.exec("PRAGMA foreign_keys = ON");
  // In a database of its own in memory there is no log and nothing to sync.
  const mode = readSetting(connection, "journal_mode = WAL");
  if (mode !== "wal" && mode !== "memory")
    throw settingError("journal_mode", { wanted: "wal", found: mode });
  connection.exec(`PRAGMA synchronous = ${level}`);
  // macOS flushes the drive's own cache only when told to; elsewhere these change nothing.
  connection.exec(`PRAGMA fullfsync = ${durability === "full" ? 1 : 0}`);
  connection.exec(`PRAGMA checkpoint_fullfsync = ${durability === "full" ? 1 : 0}`);
  const wanted = { synchronous: level, busy_timeout: connection.busyTimeoutMs, foreign_keys: 1 };
  for (const [name, value] of Object.entries(wanted)) {
    const found = readSetting(connection, name);
    if (found !== value) throw settingError(name, { wanted: value, found });
  }
}

function applyReadOnly(connection: SqliteConnection): void {
  connection.exec(`PRAGMA busy_timeout = ${connection.busyTimeoutMs}`);
  connection.exec("PRAGMA query_only = ON");
  const wanted = { query_only: 1, busy_timeout: connection.busyTimeoutMs };
  for (const [name, value] of Object.entries(wanted)) {
    const found = readSetting(connection, name);
    if (found !== value) throw settingError(name, { wanted: value, found });
  }
  // What is no database is known by its first page.
  connection.prepare("SELECT count(*) FROM sqlite_schema").get();
}

function readSetting(connection: SqliteConnection, pragma: string): unknown {
  return Object.values(connection.prepare(`PRAGMA ${pragma}`).get() ?? {})[0];
}

function settingError(name: string, details: { wanted: unknown; found: unknown }): SqlError {
  const message = `The database did not take ${name} = ${String(details.wanted)}; it has ${String(details.found)}.`;
  return new SqlError("open_failed", message, { details: { name, ...details } });
}
