import { SqlError } from "../sql-error.ts";
import { TurnQueue } from "@ccl/core/async";
import type { SqliteHandle } from "./sqlite-database.ts";

/** State shared by all wrappers of a driver's database. */
export interface ConnectionState {
  readonly turns: TurnQueue;
  /** True while a `transaction` is running. Its statements do not change the lock timeout. */
  isInTransaction: boolean;
  /** The error that caused SQLite itself to roll back the transaction. Later statements in it must not run. */
  failure: SqlError | undefined;
  /** The handle's lock timeout. Undefined until it is first set here. */
  lockTimeoutMs: number | undefined;
}

const states = new WeakMap<SqliteHandle, ConnectionState>();

/** Returns the state of a driver's database, which is created on first use. */
export function connectionStateOf(handle: SqliteHandle): ConnectionState {
  const known = states.get(handle);
  if (known !== undefined) return known;
  const state: ConnectionState = {
    turns: new TurnQueue(SqlError),
    isInTransaction: false,
    failure: undefined,
    lockTimeoutMs: undefined,
  };
  states.set(handle, state);
  return state;
}

/**
 * Sets how long SQLite waits for a lock, which blocks the thread. Does nothing if that value is
 * already set.
 */
export function setLockTimeout(
  database: Pick<SqliteHandle, "exec">,
  state: ConnectionState,
  timeoutMs: number,
): void {
  if (state.lockTimeoutMs === timeoutMs) return;
  database.exec(`PRAGMA busy_timeout = ${timeoutMs}`);
  state.lockTimeoutMs = timeoutMs;
}

/** True while SQLite has an open transaction. Undefined if the driver does not report it. */
export function hasOpenTransaction(handle: SqliteHandle): boolean | undefined {
  if ("isTransaction" in handle && typeof handle.isTransaction === "boolean")
    return handle.isTransaction;
  if ("inTransaction" in handle && typeof handle.inTransaction === "boolean")
    return handle.inTransaction;
  return undefined;
}
