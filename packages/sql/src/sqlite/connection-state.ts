import { SqlError } from "../sql-error.ts";
import { TurnQueue } from "@ccl/core/async";
import type { SqliteHandle } from "./sqlite-database.ts";

/** What all wrappers of one driver's database share. */
export interface ConnectionState {
  readonly turns: TurnQueue;
  /** True from the begin of a `transaction` to its end; its statements leave the lock timeout as it is. */
  isInTransaction: boolean;
  /** The error upon which SQLite undid the transaction by itself: later statements of it must not run on their own. */
  failure: SqlError | undefined;
  /** The lock timeout that the handle has; undefined before we have set one. */
  lockTimeoutMs: number | undefined;
}

const states = new WeakMap<SqliteHandle, ConnectionState>();

/** The state of a driver's database, made at the first call. */
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

/** Sets how long SQLite itself waits for a lock, and so blocks the thread, where it is set to another time. */
export function setLockTimeout(
  database: Pick<SqliteHandle, "exec">,
  state: ConnectionState,
  timeoutMs: number,
): void {
  if (state.lockTimeoutMs === timeoutMs) return;
  database.exec(`PRAGMA busy_timeout = ${timeoutMs}`);
  state.lockTimeoutMs = timeoutMs;
}

/** True while SQLite has a transaction open; undefined where the driver does not say. */
export function hasOpenTransaction(handle: SqliteHandle): boolean | undefined {
  if ("isTransaction" in handle && typeof handle.isTransaction === "boolean")
    return handle.isTransaction;
  if ("inTransaction" in handle && typeof handle.inTransaction === "boolean")
    return handle.inTransaction;
  return undefined;
}
