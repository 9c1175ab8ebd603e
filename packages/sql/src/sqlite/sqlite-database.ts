/**
 * A value that SQLite stores. Integers are read as numbers, or all as bigints if `bigints` is set.
 */
export type SqliteValue = null | number | bigint | string | Uint8Array;

/** A row by column name, in the order of the columns. */
export type SqliteRow = Record<string, SqliteValue>;

/** Changes caused by a statement. */
interface SqliteChanges {
  /** Number of rows inserted, updated or deleted, excluding changes by triggers. */
  changes: number;
  /** Rowid of the connection's latest insert. */
  lastInsertRowid: number | bigint;
}

/** A prepared statement. Parameters replace `?` from left to right. Every call throws `SqlError`. */
export interface SqliteStatement {
  run(...parameters: SqliteValue[]): SqliteChanges;
  /** Returns the first row, or undefined if there is none. */
  get(...parameters: SqliteValue[]): SqliteRow | undefined;
  all(...parameters: SqliteValue[]): SqliteRow[];
  /**
   * Yields rows as they are read. Leaving the loop early ends the read. Do not write to the same tables inside the
   * loop.
   */
  iterate(...parameters: SqliteValue[]): IterableIterator<SqliteRow>;
}

/** Options of a prepared statement. */
export interface PrepareOptions {
  /**
   * If true, all integers are read as bigints. By default they are numbers, and reading one that would be inexact
   * throws `out_of_range`.
   */
  bigints?: boolean | undefined;
}

/**
 * One connection, with the same interface for every driver. All calls are synchronous and block the
 * thread while they wait or sync.
 */
export interface SqliteDatabase {
  /** `node:sqlite`, `@photostructure/sqlite`, or `handle` for a handle that the caller passed. */
  readonly driver: string;
  /**
   * The driver's database, for features that this interface lacks. Transactions queue on it. Unless the caller
   * passed it, its lock timeout is 0 from a transaction until the next statement through this interface.
   */
  readonly handle: SqliteHandle;
  /** Maximum time that a statement waits for another connection's lock. */
  readonly busyTimeoutMs: number;
  /** Runs one or more statements without parameters. Returns no rows. */
  exec(sql: string): void;
  /** Prepares a statement. Statements are cached by their text, so preparing one again is free. */
  prepare(sql: string, options?: PrepareOptions): SqliteStatement;
  /**
   * Reads committed data in a separate process, which an abort kills even while SQLite is busy. Only available for
   * files opened with `openSqlite`. Cannot see temporary tables and attached databases of this connection.
   */
  readonly readApart?: ReadApart | undefined;
  /**
   * Ends open reads, rolls back a running transaction, finalizes statements, moves the write-ahead
   * log into the database and closes the handle. A handle that the caller passed stays open.
   * Closing twice does nothing.
   */
  close(): void;
}

/**
 * Yields batches of a statement's rows as lists of values, with integers as bigints. Leaving the
 * loop or aborting ends the work immediately.
 */
export type ReadApart = (
  sql: string,
  parameters: readonly SqliteValue[],
  options: { batchRows: number; signal?: AbortSignal | undefined },
) => AsyncIterable<SqliteValue[][]>;

/** Methods that all drivers' databases share: `DatabaseSync` of node:sqlite and `Database` of better-sqlite3. */
export interface SqliteHandle {
  exec(sql: string): unknown;
  prepare(sql: string): SqliteHandleStatement;
  close(): unknown;
}

/** Methods that all drivers' statements share. Parameters and rows are driver-specific. */
export interface SqliteHandleStatement {
  run(...parameters: never[]): { changes: number | bigint; lastInsertRowid: number | bigint };
  get(...parameters: never[]): unknown;
  all(...parameters: never[]): unknown[];
  iterate(...parameters: never[]): Iterator<unknown>;
}
