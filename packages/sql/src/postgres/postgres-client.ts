/** A row by column name. */
export type PostgresRow = Record<string, unknown>;

/** The least that pg's `Client` and `Pool` and PGlite have in common. Parameters stand for `$1`, `$2`, ... */
export interface PostgresClient {
  query(text: string, parameters?: unknown[]): Promise<PostgresResult>;
}

/** Rows, and which type each column has. */
export interface PostgresResult {
  rows: unknown[];
  fields?: readonly { name: string; dataTypeID: number }[] | undefined;
}

/** What a statement takes. A bigint goes as its digits. */
export type PostgresValue = null | boolean | number | bigint | string | Uint8Array;

/** A client with its differences taken away. Every call rejects with `SqlError`. */
export interface PostgresSession {
  /**
   * Rows of one statement. Integers are numbers, or bigints where a number is not exact; `bytea` is a Uint8Array; all else
   * is as the client gives it. Bytes come over the wire as text, twice their size: pg's binary results are garbled, so
   * read large values in rows of at most a few MiB.
   */
  query(text: string, parameters?: readonly PostgresValue[]): Promise<PostgresRow[]>;
  /** One statement or several, without parameters and rows. */
  exec(sql: string): Promise<void>;
}

/** pg's `Pool`. */
export interface PostgresPool extends PostgresClient {
  connect(): Promise<PostgresPoolClient>;
  readonly totalCount: number;
}

/** What a pool lends out. */
interface PostgresPoolClient extends PostgresClient {
  /** With true the connection is dropped instead of lent out again. */
  release(isBroken?: boolean): void;
  on?(event: "error", listener: (error: Error) => void): unknown;
  off?(event: "error", listener: (error: Error) => void): unknown;
}

/** PGlite: several statements go by a method of their own, and its one connection is lent out for a transaction. */
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

/** True for PGlite, and for what it lends out for a transaction. */
export function hasExec(client: PostgresClient): client is Omit<PgliteClient, "transaction"> {
  return "exec" in client && typeof client.exec === "function";
}
