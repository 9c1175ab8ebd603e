/** A value that SQLite stores. Integers are read as numbers, or all as bigints if `bigints` is set. */
export type SqliteValue = null | number | bigint | string | Uint8Array;

/** A row by column name, in the order of the columns. */
export type SqliteRow = Record<string, SqliteValue>;

/** What a statement changed. */
interface SqliteChanges {
  /** Rows inserted, changed or deleted, without those of triggers. */
  changes: number;
  /** The rowid of the connection's latest insert. */
  lastInsertRowid: number | bigint;
}

/** A prepared statement. Parameters replace `?` from left to right. Every call throws `SqlError`. */
export interface SqliteStatement {
  run(...parameters: SqliteValue[]): SqliteChanges;
  /** The first row. Undefined if there is none. */
  get(...parameters: SqliteValue[]): SqliteRow | undefined;
  all(...parameters: SqliteValue[]): SqliteRow[];
  /** Rows as they are read. Leaving the loop early ends the read. Do not write to the same tables within it. */
  iterate(...parameters: SqliteValue[]): IterableIterator<SqliteRow>;
}

/** How a statement reads values. */
export interface PrepareOptions {
  /**
   * True: all integers are read as bigints. By default as numbers, and an integer without an exact number throws
   * `out_of_range`.
   */
  bigints?: boolean | undefined;
}

/** One connection, equal for every driver. All calls are synchronous and block the thread while they wait or sync. */
export interface SqliteDatabase {
  /** `node:sqlite`, `@photostructure/sqlite`, or `handle` for a handle that the caller passed. */
  readonly driver: string;
  /**
   * The driver's own database, for what this interface lacks. Transactions queue on it. Unless the caller passed it,
   * its lock timeout is 0 from a transaction to the next statement through this interface.
   */
  readonly handle: SqliteHandle;
  /** How long a statement waits for another connection's lock. */
  readonly busyTimeoutMs: number;
  /** Runs one or several statements without parameters or rows. */
  exec(sql: string): void;
  /** Statements are cached by their text, so preparing one again is free. */
  prepare(sql: string, options?: PrepareOptions): SqliteStatement;
  /**
   * Reads committed data in a process of its own, which an abort ends even while SQLite computes. Only for a file that
   * `openSqlite` opened. Temporary tables and attached databases of this connection are not visible to it.
   */
  readonly readApart?: ReadApart | undefined;
  /**
   * Ends open reads, rolls back a running transaction, finalises statements, moves the write-ahead log into the
   * database and closes. A handle that the caller passed stays open. Closing twice does nothing.
   */
  close(): void;
}

/**
 * Rows of a statement as lists of values with integers as bigints. Leaving the loop or aborting ends the work
 * immediately.
 */
export type ReadApart = (
  sql: string,
  parameters: readonly SqliteValue[],
  options: { batchRows: number; signal?: AbortSignal | undefined },
) => AsyncIterable<SqliteValue[][]>;

/** The methods that every driver's database has: `DatabaseSync` of node:sqlite, and `Database` of better-sqlite3. */
export interface SqliteHandle {
  exec(sql: string): unknown;
  prepare(sql: string): SqliteHandleStatement;
  close(): unknown;
}

/** The methods that every driver's statement has. Parameters and rows are the driver's own. */
export interface SqliteHandleStatement {
  run(...parameters: never[]): { changes: number | bigint; lastInsertRowid: number | bigint };
  get(...parameters: never[]): unknown;
  all(...parameters: never[]): unknown[];
  iterate(...parameters: never[]): Iterator<unknown>;
}
