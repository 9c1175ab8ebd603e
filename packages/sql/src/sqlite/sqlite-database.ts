/** What SQLite stores. Integers come back as numbers, or all as bigints where `bigints` asks for it. */
export type SqliteValue = null | number | bigint | string | Uint8Array;

/** A row by column name, in the order of the columns. */
export type SqliteRow = Record<string, SqliteValue>;

/** What a statement changed. */
interface SqliteChanges {
  /** Rows inserted, changed or deleted, without those of triggers. */
  changes: number;
  /** Of the connection's latest insert. */
  lastInsertRowid: number | bigint;
}

/** A prepared statement. Parameters stand for `?` from left to right. Every call throws `SqlError`. */
export interface SqliteStatement {
  run(...parameters: SqliteValue[]): SqliteChanges;
  /** The first row; undefined when there is none. */
  get(...parameters: SqliteValue[]): SqliteRow | undefined;
  all(...parameters: SqliteValue[]): SqliteRow[];
  /** Rows as they are read. Leaving the loop early frees the read; write nothing to the same tables within it. */
  iterate(...parameters: SqliteValue[]): IterableIterator<SqliteRow>;
}

/** How a statement reads. */
export interface PrepareOptions {
  /** True: all integers come back as bigints. By default as numbers, and one without an exact number throws `out_of_range`. */
  bigints?: boolean | undefined;
}

/** One connection, the same over every driver. All calls are synchronous; they block the thread while they wait or sync. */
export interface SqliteDatabase {
  /** `node:sqlite`, `@photostructure/sqlite`, or `handle` for one that was handed in. */
  readonly driver: string;
  /**
   * The driver's own database, for what this interface lacks. Transactions queue on it. Its lock timeout is 0 from a
   * transaction to the next statement through this interface, unless it was handed in.
   */
  readonly handle: SqliteHandle;
  /** How long a statement waits for another connection's lock. */
  readonly busyTimeoutMs: number;
  /** One statement or several, without parameters and rows. */
  exec(sql: string): void;
  /** Statements are kept by their text, so asking again costs nothing. */
  prepare(sql: string, options?: PrepareOptions): SqliteStatement;
  /**
   * Reads what is committed in a process of its own, which an abort ends even while SQLite computes. Only for a file that
   * `openSqlite` opened; temporary tables and attached databases of this connection are not there.
   */
  readonly readApart?: ReadApart | undefined;
  /**
   * Ends reads that were left open, undoes a transaction that is under way, finalises statements, moves the write-ahead
   * log into the database and closes. A handle that was handed in stays open. Closing twice does nothing.
   */
  close(): void;
}

/** Rows of a statement as lists of values, integers as bigints. Leaving the loop, or aborting, ends the work at once. */
export type ReadApart = (
  sql: string,
  parameters: readonly SqliteValue[],
  options: { batchRows: number; signal?: AbortSignal | undefined },
) => AsyncIterable<SqliteValue[][]>;

/** The least that every driver's database has: `DatabaseSync` of node:sqlite, and `Database` of better-sqlite3. */
export interface SqliteHandle {
  exec(sql: string): unknown;
  prepare(sql: string): SqliteHandleStatement;
  close(): unknown;
}

/** The least that every driver's statement has. Parameters and rows are the driver's own. */
export interface SqliteHandleStatement {
  run(...parameters: never[]): { changes: number | bigint; lastInsertRowid: number | bigint };
  get(...parameters: never[]): unknown;
  all(...parameters: never[]): unknown[];
  iterate(...parameters: never[]): Iterator<unknown>;
}
