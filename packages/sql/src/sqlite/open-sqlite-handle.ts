import { throwIfAborted } from "@ccl/core/async";
import { SqlError } from "../sql-error.ts";
import { retryWhileBusy } from "./retry-while-busy.ts";
import { SqliteConnection } from "./sqlite-connection.ts";
import type { SqliteDatabase, SqliteHandle } from "./sqlite-database.ts";

/**
 * What commits survive. `full`: a power failure. `normal`: a power failure may lose the latest commits but leaves
 * the database intact. `off`: the end of the process, but a power failure may damage the file.
 */
export type SqliteDurability = "full" | "normal" | "off";

/** Durability, lock timeout and access mode of a database. */
export interface SqliteSettings {
  /** `full` by default. */
  durability?: SqliteDurability | undefined;
  /**
   * Maximum time to wait for another connection's lock. 5,000 by default. `transaction` waits without blocking the
   * thread.
   */
  busyTimeoutMs?: number | undefined;
  /**
   * If true, an existing file is never changed and no files are created beside it. `durability` then has no
   * effect, and writes fail with `read_only`. A handle passed by the caller rejects writes from then on.
   */
  readOnly?: boolean | undefined;
  signal?: AbortSignal | undefined;
}

const synchronousLevels = { full: 2, normal: 1, off: 0 } as const;

/**
 * Wraps an open handle (a better-sqlite3 `Database`, a `DatabaseSync`) as a database in WAL mode
 * with foreign keys on, and verifies each setting. The caller closes the handle.
 * @throws SqlError `open_failed`, `damaged`, `busy`, `disk_full`, `read_only`, `invalid_input`,
 * `aborted`
 */
export async function openSqliteHandle(
  handle: SqliteHandle,
  settings: SqliteSettings = {},
): Promise<SqliteDatabase> {
  checkSettings(settings);
  throwIfAborted(settings.signal, SqlError);
  const options = { driver: "handle", ownsHandle: false, ...settings };
  return applySettings(new SqliteConnection(handle, options), settings);
}

/**
 * Checks the settings of a database.
 * @throws SqlError `invalid_input`
 */
export function checkSettings({ durability = "full", busyTimeoutMs = 0 }: SqliteSettings): void {
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

/** Sets up a new connection, and closes it if that fails. */
export async function applySettings(
  connection: SqliteConnection,
  { durability = "full", readOnly = false, signal }: SqliteSettings,
): Promise<SqliteDatabase> {
  const apply = (): void =>
    readOnly ? makeReadOnly(connection) : makeDurable(connection, durability);
  try {
    await retryWhileBusy(apply, { timeoutMs: connection.busyTimeoutMs, signal });
    return connection;
  } catch (error) {
    connection.close();
    throw error;
  }
}

function makeDurable(connection: SqliteConnection, durability: SqliteDurability): void {
  const level = synchronousLevels[durability];
  connection.exec(`PRAGMA busy_timeout = ${connection.busyTimeoutMs}; PRAGMA foreign_keys = ON`);
  // A private in-memory database has no log and nothing to sync.
  const mode = readSetting(connection, "journal_mode = WAL");
  if (mode !== "wal" && mode !== "memory")
    throw settingError("journal_mode", { wanted: "wal", found: mode });
  // macOS flushes the drive's cache only on request. Elsewhere, fullfsync has no effect.
  const flush = durability === "full" ? 1 : 0;
  connection.exec(
    `PRAGMA synchronous = ${level}; PRAGMA fullfsync = ${flush}; PRAGMA checkpoint_fullfsync = ${flush}`,
  );
  checkSet(connection, { synchronous: level, foreign_keys: 1 });
}

function makeReadOnly(connection: SqliteConnection): void {
  connection.exec(`PRAGMA busy_timeout = ${connection.busyTimeoutMs}; PRAGMA query_only = ON`);
  checkSet(connection, { query_only: 1 });
  // Reading the first page reveals a file that is not a database.
  connection.prepare("SELECT count(*) FROM sqlite_schema").get();
}

function checkSet(connection: SqliteConnection, settings: Record<string, number>): void {
  const wanted = { ...settings, busy_timeout: connection.busyTimeoutMs };
  for (const [name, value] of Object.entries(wanted)) {
    const found = readSetting(connection, name);
    if (found !== value) throw settingError(name, { wanted: value, found });
  }
}

function readSetting(connection: SqliteConnection, pragma: string): unknown {
  return Object.values(connection.prepare(`PRAGMA ${pragma}`).get() ?? {})[0];
}

function settingError(name: string, details: { wanted: unknown; found: unknown }): SqlError {
  const message = `The database did not take ${name} = ${String(details.wanted)}; it has ${String(details.found)}.`;
  return new SqlError("open_failed", message, { details: { name, ...details } });
}
