/** A row by column name. */
export type PostgresRow = Record<string, unknown>;

/** The methods that pg's `Client` and `Pool` and PGlite have in common. Parameters are written `$1`, `$2`, ... */
export interface PostgresClient {
  query(text: string, parameters?: unknown[]): Promise<PostgresResult>;
}

/** Rows, and the type of each column. */
export interface PostgresResult {
  rows: unknown[];
  fields?: readonly { name: string; dataTypeID: number }[] | undefined;
}

/** A parameter of a statement. A bigint is sent as its digits. */
export type PostgresValue = null | boolean | number | bigint | string | Uint8Array;

/** A client without the differences between clients. Every call rejects with `SqlError`. */
export interface PostgresSession {
  /**
   * The rows of one statement. Integers are numbers, or bigints if a number would not be exact. `bytea` is a
   * Uint8Array. Everything else is what the client returns. Bytes are transferred as text of twice their size, because
   * pg garbles binary results, so read large values in rows of at most a few MiB.
   */
  query(text: string, parameters?: readonly PostgresValue[]): Promise<PostgresRow[]>;
  /** Runs one or several statements without parameters or rows. */
  exec(sql: string): Promise<void>;
}

/** pg's `Pool`. */
export interface PostgresPool extends PostgresClient {
  connect(): Promise<PostgresPoolClient>;
  readonly totalCount: number;
}

/** A connection that a pool lends. */
interface PostgresPoolClient extends PostgresClient {
  /** True drops the connection. Otherwise the pool can lend it again. */
  release(isBroken?: boolean): void;
  on?(event: "error", listener: (error: Error) => void): unknown;
  off?(event: "error", listener: (error: Error) => void): unknown;
}

/** PGlite. Several statements go through `exec`, and a transaction borrows its only connection. */
export interface PgliteClient extends PostgresClient {
  exec(sql: string): Promise<unknown>;
  transaction<T>(
    action: (transaction: Omit<PgliteClient, "transaction">) => Promise<T>,
  ): Promise<T | undefined>;
}

/** True for a pool of pg. */
export function isPostgresPool(client: PostgresClient): client is PostgresPool {
  return "totalCount" in client && typeof client.totalCount === "number";
}

/** True for PGlite. */
export function isPglite(client: PostgresClient): client is PgliteClient {
  return "transaction" in client && typeof client.transaction === "function" && hasExec(client);
}

/** True for PGlite and for the connection that it lends to a transaction. */
export function hasExec(client: PostgresClient): client is Omit<PgliteClient, "transaction"> {
  return "exec" in client && typeof client.exec === "function";
}
