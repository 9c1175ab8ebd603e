import { SqlError } from "../sql-error.ts";
import { createSqliteStatement, type OpenReads, type OwnedStatement } from "./sqlite-statement.ts";
import {
  connectionStateOf,
  hasOpenTransaction,
  setLockTimeout,
  type ConnectionState,
} from "./connection-state.ts";
import type {
  PrepareOptions,
  ReadApart,
  SqliteDatabase,
  SqliteHandle,
  SqliteStatement,
} from "./sqlite-database.ts";
import { mayHaveRolledBack, sqliteErrorOf } from "./sqlite-error-of.ts";

const maxStatements = 128;

/** Options of a wrapped handle. */
export interface ConnectionOptions {
  driver: string;
  busyTimeoutMs?: number | undefined;
  /** False if `close()` leaves the handle open. */
  ownsHandle: boolean;
  /** True if `close()` leaves the database's log as it is. */
  readOnly?: boolean | undefined;
  reader?: { readApart: ReadApart; close(): void } | undefined;
}

/** Wraps a driver's handle as a `SqliteDatabase`. */
export class SqliteConnection implements SqliteDatabase {
  readonly driver: string;
  readonly handle: SqliteHandle;
  readonly busyTimeoutMs: number;
  readonly readApart: ReadApart | undefined;
  readonly #ownsHandle: boolean;
  readonly #readOnly: boolean;
  readonly #reader: ConnectionOptions["reader"];
  readonly #state: ConnectionState;
  readonly #statements = new Map<string, OwnedStatement>();
  readonly #reads: OpenReads = new Map();
  #isOpen = true;

  constructor(handle: SqliteHandle, options: ConnectionOptions) {
    this.handle = handle;
    this.driver = options.driver;
    this.busyTimeoutMs = options.busyTimeoutMs ?? 5000;
    this.#ownsHandle = options.ownsHandle;
    this.#readOnly = options.readOnly === true;
    this.#reader = options.reader;
    this.readApart = options.reader?.readApart;
    this.#state = connectionStateOf(handle);
  }

  exec(sql: string): void {
    this.#guarded(() => this.handle.exec(sql));
  }

  prepare(sql: string, options: PrepareOptions = {}): SqliteStatement {
    const key = options.bigints === true ? `bigints ${sql}` : sql;
    const known = this.#statements.get(key);
    if (known !== undefined) return known;
    const statement = this.#guarded(() =>
      createSqliteStatement({
        handle: this.handle,
        sql,
        wantsBigints: options.bigints === true,
        guard: (action) => this.#guarded(action),
        reads: this.#reads,
      }),
    );
    this.#statements.set(key, statement);
    this.#dropOldest();
    return statement;
  }

  close(): void {
    if (!this.#isOpen) return;
    this.#reader?.close();
    for (const read of this.#reads.keys()) read.return?.();
    if (this.#ownsHandle) this.#quietly("ROLLBACK");
    for (const statement of this.#statements.values()) statement.finalise();
    this.#statements.clear();
    this.#isOpen = false;
    if (!this.#ownsHandle) return;
    if (this.driver === "@photostructure/sqlite" && !this.#readOnly) this.#leaveWal();
    try {
      this.handle.close();
    } catch (error) {
      throw sqliteErrorOf(error);
    }
  }

  // @photostructure/sqlite finalizes statements only when they are garbage-collected. Until then,
  // SQLite keeps the connection and its files open. So the last connection leaves WAL mode, which
  // empties and removes the log. The next connection to open the file re-enters it.
  #leaveWal(): void {
    this.#quietly("PRAGMA busy_timeout = 0");
    this.#quietly("PRAGMA wal_checkpoint(TRUNCATE)");
    this.#quietly("PRAGMA journal_mode = DELETE");
  }

  #quietly(sql: string): void {
    try {
      this.handle.exec(sql);
    } catch {
      // There was no transaction, or another connection still uses the log.
    }
  }

  #dropOldest(): void {
    if (this.#statements.size <= maxStatements) return;
    const [oldest] = this.#statements.keys();
    if (oldest !== undefined) this.#statements.delete(oldest);
  }

  #guarded<T>(action: () => T): T {
    if (!this.#isOpen) throw new SqlError("closed", "The database is closed.");
    if (this.#state.failure !== undefined) throw this.#state.failure;
    try {
      // A transaction leaves the timeout at 0, so that the next one does not need to set it again.
      if (!this.#state.isInTransaction)
        setLockTimeout(this.handle, this.#state, this.busyTimeoutMs);
      return action();
    } catch (error) {
      const failure = sqliteErrorOf(error);
      if (this.#isUndoneBy(failure)) this.#state.failure = failure;
      throw failure;
    }
  }

  #isUndoneBy(failure: SqlError): boolean {
    return (
      this.#state.isInTransaction &&
      !(hasOpenTransaction(this.handle) ?? !mayHaveRolledBack(failure))
    );
  }
}
