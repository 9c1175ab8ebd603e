import { CclError } from "@ccl/core";

/** Why a call of this package failed. */
export type SqlErrorCode =
  /** No SQLite driver is installed. The message names the command that installs one. */
  | "no_driver"
  /** The SQL parser of `./parse` could not be loaded. */
  | "no_parser"
  /** The database cannot be opened, or rejects the settings that durability needs. */
  | "open_failed"
  /** The file is not a SQLite database, or it is damaged. */
  | "damaged"
  /**
   * Another connection held the lock longer than the timeout, or PostgreSQL aborted the transaction
   * in favour of another.
   */
  | "busy"
  | "disk_full"
  /** A unique, foreign-key, check or not-null rule of the schema was violated. */
  | "constraint"
  | "read_only"
  /** An integer in the database is too large for an exact JavaScript number. Read it with `bigints`. */
  | "out_of_range"
  /** The database rejected the statement for another reason. See `cause`. */
  | "statement_failed"
  /** The connection was lost. It is unknown whether a running commit took effect. */
  | "connection_failed"
  /** A newer version of the program created the tables. */
  | "schema_newer"
  | "invalid_input"
  /** The database was used after `close()`, or a transaction after its end. */
  | "closed"
  | "aborted";

/** The error class of this package. Messages contain the database's own message but never parameters. */
export class SqlError extends CclError<SqlErrorCode> {
  static override readonly brand: string = "SqlError";
}

/** Returns the message of a thrown value. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
