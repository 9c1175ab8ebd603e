import {
  connectionStateOf,
  setLockTimeout,
  type ConnectionState,
} from "../sqlite/connection-state.ts";
import type {
  PrepareOptions,
  SqliteDatabase,
  SqliteHandle,
  SqliteStatement,
} from "../sqlite/sqlite-database.ts";
import { throwIfAborted } from "@ccl/core/async";
import { SqlError } from "../sql-error.ts";
import { retryWhileBusy } from "../sqlite/retry-while-busy.ts";
import type { TransactionAction, TransactionOptions } from "./transaction-options.ts";
import { TurnQueue } from "@ccl/core/async";

/** Runs a transaction on a connection, or a savepoint if `database` is already inside one. */
export function sqliteTransaction<T>(
  database: SqliteDatabase,
  action: TransactionAction<SqliteDatabase, T>,
  options: TransactionOptions,
): Promise<T> {
  if (database instanceof TransactionScope) {
    return database.turns.run(() => savepoint(database, action, options), options.signal);
  }
  const state = connectionStateOf(database.handle);
  // SQLite does not wait for the lock. Waiting between attempts instead keeps the thread free.
  const attempt = (): T | Promise<T> => {
    if (options.mode === "statement") return action(database);
    begin(database, state, options);
    const end = (): void => leave(state);
    return settle(database, action, {
      depth: 0,
      commit: "COMMIT",
      rollback: ["ROLLBACK"],
      end,
      options,
    });
  };
  const { signal } = options;
  return state.turns.run(
    () => retryWhileBusy(attempt, { timeoutMs: database.busyTimeoutMs, signal }),
    signal,
  );
}

function begin(
  database: SqliteDatabase,
  state: ConnectionState,
  { mode }: TransactionOptions,
): void {
  const { busyTimeoutMs, driver } = database;
  state.isInTransaction = true;
  try {
    setLockTimeout(database, state, mode === "read" ? busyTimeoutMs : 0);
    database.prepare(mode === "read" ? "BEGIN" : "BEGIN IMMEDIATE").run();
  } catch (error) {
    leave(state);
    throw error;
  } finally {
    // Restore the timeout, because the caller who passed the handle may use it too.
    if (driver === "handle") setLockTimeout(database, state, busyTimeoutMs);
  }
}

function leave(state: ConnectionState): void {
  state.isInTransaction = false;
  state.failure = undefined;
}

function savepoint<T>(
  database: TransactionScope,
  action: TransactionAction<SqliteDatabase, T>,
  options: TransactionOptions,
): Promise<T> {
  const depth = database.depth + 1;
  const name = `ccl_${depth}`;
  database.exec(`SAVEPOINT ${name}`);
  const rollback = [`ROLLBACK TO ${name}`, `RELEASE ${name}`];
  return settle(database, action, { depth, commit: `RELEASE ${name}`, rollback, options });
}

interface Ending {
  depth: number;
  commit: string;
  rollback: string[];
  end?: (() => void) | undefined;
  options: TransactionOptions;
}

/**
 * Runs the action and ends its transaction. A synchronous action is not awaited, so that no other work can run in
 * between.
 */
async function settle<T>(
  database: SqliteDatabase,
  action: TransactionAction<SqliteDatabase, T>,
  ending: Ending,
): Promise<T> {
  const scope = new TransactionScope(database, ending.depth);
  try {
    const running = action(scope);
    const value = isPromise(running) ? await running : running;
    throwIfAborted(ending.options.signal, SqlError);
    database.exec(ending.commit);
    return value;
  } catch (error) {
    undo(database, ending.rollback);
    throw error;
  } finally {
    scope.isOver = true;
    ending.end?.();
  }
}

function undo(database: SqliteDatabase, statements: string[]): void {
  for (const statement of statements) {
    try {
      database.handle.exec(statement);
    } catch {
      // SQLite has already rolled the transaction back, or the connection is gone. Report the error
      // that led here.
    }
  }
}

/** The database as seen inside a transaction: the same connection, usable until the transaction ends. */
class TransactionScope implements SqliteDatabase {
  readonly driver: string;
  readonly handle: SqliteHandle;
  readonly busyTimeoutMs: number;
  readonly depth: number;
  /** Runs the transaction's savepoints one at a time. */
  readonly turns: TurnQueue = new TurnQueue(SqlError);
  isOver = false;
  readonly #database: SqliteDatabase;

  constructor(database: SqliteDatabase, depth: number) {
    this.driver = database.driver;
    this.handle = database.handle;
    this.busyTimeoutMs = database.busyTimeoutMs;
    this.depth = depth;
    this.#database = database;
  }

  exec(sql: string): void {
    this.#live().exec(sql);
  }

  prepare(sql: string, options?: PrepareOptions): SqliteStatement {
    return this.#live().prepare(sql, options);
  }

  close(): never {
    throw new SqlError(
      "invalid_input",
      "A transaction is ended by returning or throwing, not by close().",
    );
  }

  #live(): SqliteDatabase {
    if (this.isOver)
      throw new SqlError("closed", "The transaction has ended; use the database itself.");
    return this.#database;
  }
}

function isPromise<T>(value: T | Promise<T>): value is Promise<T> {
  return (
    typeof value === "object" &&
    value !== null &&
    "then" in value &&
    typeof value.then === "function"
  );
}
