/** A row, keyed by column name. */
export type PostgresRow = Record<string, unknown>;

/**
 * The methods shared by pg's `Client` and `Pool` and by PGlite. Parameters are written `$1`, `$2`
 * and so on.
 */
export interface PostgresClient {
  query(text: string, parameters?: unknown[]): Promise<PostgresResult>;
}

/** Rows of a result and the type of each column. */
export interface PostgresResult {
  rows: unknown[];
  fields?: readonly { name: string; dataTypeID: number }[] | undefined;
}

/** A statement parameter. A bigint is sent as digits. */
export type PostgresValue = null | boolean | number | bigint | string | Uint8Array;

/** Hides the differences between clients. Every call rejects with `SqlError`. */
export interface PostgresSession {
  /**
   * Returns the rows of one statement. Integers are numbers, or bigints if a number would be inexact. `bytea` is a
   * Uint8Array. All other values are as returned by the client. Bytes are transferred as text of twice their size,
   * because pg garbles binary results, so read large values in rows of a few MiB or less.
   */
  query(text: string, parameters?: readonly PostgresValue[]): Promise<PostgresRow[]>;
  /** Runs one or more statements without parameters. Returns no rows. */
  exec(sql: string): Promise<void>;
}

/** A pg `Pool`. */
export interface PostgresPool extends PostgresClient {
  connect(): Promise<PostgresPoolClient>;
  readonly totalCount: number;
}

/** A connection checked out of a pool. */
interface PostgresPoolClient extends PostgresClient {
  /** Returns the connection to the pool. If `isBroken` is true, the pool drops it. */
  release(isBroken?: boolean): void;
  on?(event: "error", listener: (error: Error) => void): unknown;
  off?(event: "error", listener: (error: Error) => void): unknown;
}

/**
 * A PGlite instance. `exec` runs several statements, and a transaction takes over its only
 * connection.
 */
export interface PgliteClient extends PostgresClient {
  exec(sql: string): Promise<unknown>;
  transaction<T>(
    action: (transaction: Omit<PgliteClient, "transaction">) => Promise<T>,
  ): Promise<T | undefined>;
}

/** True for a pg `Pool`. */
export function isPostgresPool(client: PostgresClient): client is PostgresPool {
  return "totalCount" in client && typeof client.totalCount === "number";
}

/** True for PGlite. */
export function isPglite(client: PostgresClient): client is PgliteClient {
  return "transaction" in client && typeof client.transaction === "function" && hasExec(client);
}

/** True for PGlite, and for the connection that it passes to a transaction. */
export function hasExec(client: PostgresClient): client is Omit<PgliteClient, "transaction"> {
  return "exec" in client && typeof client.exec === "function";
}
