import { CclError } from "@ccl/core";

/** Why a call of this package failed. */
export type SqlErrorCode =
  /** No SQLite driver is there; the message names the command that brings one. */
  | "no_driver"
  /** The database can't be opened, or does not take the settings that durability needs. */
  | "open_failed"
  /** The file is no SQLite database, or it is damaged. */
  | "corrupt"
  /** Another connection kept the lock longer than the timeout, or PostgreSQL ended the transaction for another's sake. */
  | "busy"
  | "disk_full"
  /** A unique, foreign-key, check or not-null rule of the schema was broken. */
  | "constraint"
  | "read_only"
  /** An integer of the database has no exact JavaScript number; read it with `bigints`. */
  | "out_of_range"
  /** Any other statement that the database refused; see `cause`. */
  | "statement_failed"
  /** The connection was lost; whether a commit under way was kept is not known then. */
  | "connection_failed"
  /** The tables were made by a newer version of the program. */
  | "schema_newer"
  | "invalid_input"
  /** Use after `close()`, or of a transaction that has ended. */
  | "closed"
  | "aborted";

/** What this package throws. Messages hold what the database said, never parameters. */
export class SqlError extends CclError<SqlErrorCode> {
  static override readonly brand: string = "SqlError";
}

/** What a thrown value says. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
