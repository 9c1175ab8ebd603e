import { SqlError } from "../sql-error.ts";
import { TurnQueue } from "@ccl/core/async";
import type { SqliteHandle } from "./sqlite-database.ts";

/** State that all wrappers of one driver's database share. */
export interface ConnectionState {
  readonly turns: TurnQueue;
  /**
   * True from the start of a `transaction` to its end. Statements inside it do not change the lock
   * timeout.
   */
  isInTransaction: boolean;
  /**
   * The error after which SQLite itself rolled the transaction back. The transaction's later
   * statements must not run.
   */
  failure: SqlError | undefined;
  /** The handle's lock timeout. Undefined until it is first set here. */
  lockTimeoutMs: number | undefined;
}

const states = new WeakMap<SqliteHandle, ConnectionState>();

/** The state of a driver's database, created on first use. */
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

/** True while SQLite has a transaction open. Undefined if the driver does not report it. */
export function hasOpenTransaction(handle: SqliteHandle): boolean | undefined {
  if ("isTransaction" in handle && typeof handle.isTransaction === "boolean")
    return handle.isTransaction;
  if ("inTransaction" in handle && typeof handle.inTransaction === "boolean")
    return handle.inTransaction;
  return undefined;
}
