import { connectionStateOf } from "../sqlite/connection-state.ts";
import type { SqliteDatabase } from "../sqlite/sqlite-database.ts";
import { SqlError, throwIfAborted } from "../sql-error.ts";
import { retryWhileBusy } from "./retry-while-busy.ts";
import type { TransactionAction, TransactionOptions } from "./transaction-options.ts";
import { TurnQueue } from "./turn-queue.ts";

interface Nesting {
  depth: number;
  turns: TurnQueue;
}

const nestings = new WeakMap<SqliteDatabase, Nesting>();

/** A transaction on a connection, or a savepoint within the one that `database` stands for. */
export async function sqliteTransaction<T>(
  database: SqliteDatabase,
  action: TransactionAction<SqliteDatabase, T>,
  options: TransactionOptions,
): Promise<T> {
  const nesting = nestings.get(database);
  if (nesting !== undefined) return nesting.turns.run(() => savepoint(database, action, options), options.signal);
  const state = connectionStateOf(database.handle);
  return state.turns.run(async () => {
    await begin(database, options);
    state.isInTransaction = true;
    try {
      return await settle(database, action, { depth: 0, commit: "COMMIT", rollback: ["ROLLBACK"], options });
    } finally {
      state.isInTransaction = false;
      state.failure = undefined;
    }
  }, options.signal);
}

function savepoint<T>(
  database: SqliteDatabase,
  action: TransactionAction<SqliteDatabase, T>,
  options: TransactionOptions,
): Promise<T> {
  const depth = (nestings.get(database)?.depth ?? 0) + 1;
  const name = `ccl_${depth}`;
  database.exec(`SAVEPOINT ${name}`);
  const rollback = [`ROLLBACK TO ${name}`, `RELEASE ${name}`];
  return settle(database, action, { depth, commit: `RELEASE ${name}`, rollback, options });
}

// The wait for the lock is ours, between attempts that do not wait, so that the thread stays free meanwhile.
async function begin(database: SqliteDatabase, { mode, signal }: TransactionOptions): Promise<void> {
  const statement = mode === "read" ? "BEGIN" : "BEGIN IMMEDIATE";
  const attempt = (): void => {
    database.exec("PRAGMA busy_timeout = 0");
    try {
      database.exec(statement);
    } finally {
      database.exec(`PRAGMA busy_timeout = ${database.busyTimeoutMs}`);
    }
  };
  await retryWhileBusy(attempt, { timeoutMs: database.busyTimeoutMs, signal });
}

interface Ending {
  depth: number;
  commit: string;
  rollback: string[];
  options: TransactionOptions;
}

/** Runs the action and ends its transaction; without an await when the action has none, so that nothing comes between. */
async function settle<T>(
  database: SqliteDatabase,
  action: TransactionAction<SqliteDatabase, T>,
  ending: Ending,
): Promise<T> {
  const transaction = scopeOf(database);
  nestings.set(transaction.database, { depth: ending.depth, turns: new TurnQueue() });
  try {
    const running = action(transaction.database);
    const value = isPromise(running) ? await running : running;
    throwIfAborted(ending.options.signal);
    database.exec(ending.commit);
    return value;
  } catch (error) {
    undo(database, ending.rollback);
    throw error;
  } finally {
    transaction.end();
  }
}

function undo(database: SqliteDatabase, statements: string[]): void {
  for (const statement of statements) {
    try {
      database.handle.exec(statement);
    } catch {
      // SQLite has undone the transaction already, or the connection is gone; the error that led here is the one to tell.
    }
  }
}

/** The database as it is seen within a transaction: the same connection, until the end of it. */
function scopeOf(database: SqliteDatabase): { database: SqliteDatabase; end: () => void } {
  let isOver = false;
  const live = (): SqliteDatabase => {
    if (isOver) throw new SqlError("closed", "The transaction has ended; use the database itself.");
    return database;
  };
  return {
    database: {
      driver: database.driver,
      handle: database.handle,
      busyTimeoutMs: database.busyTimeoutMs,
      exec: (sql) => live().exec(sql),
      prepare: (sql, options) => live().prepare(sql, options),
      close: () => {
        throw new SqlError("invalid_input", "A transaction is ended by returning or throwing, not by close().");
      },
    },
    end: () => {
      isOver = true;
    },
  };
}

function isPromise<T>(value: T | Promise<T>): value is Promise<T> {
  return typeof value === "object" && value !== null && "then" in value && typeof value.then === "function";
}
