import { reasonOf, SqlError, type SqlErrorCode } from "../sql-error.ts";

// Primary result codes of SQLite (https://sqlite.org/rescode.html), by number for node:sqlite and similar drivers and
// by name for better-sqlite3.
const codes: readonly [number: number, name: string, code: SqlErrorCode][] = [
  [5, "BUSY", "busy"],
  [6, "LOCKED", "busy"],
  [8, "READONLY", "read_only"],
  [11, "CORRUPT", "damaged"],
  [13, "FULL", "disk_full"],
  [14, "CANTOPEN", "open_failed"],
  [19, "CONSTRAINT", "constraint"],
  [26, "NOTADB", "damaged"],
];

/** Converts a driver's error to a `SqlError`. A `SqlError` is returned unchanged. */
export function sqliteErrorOf(error: unknown): SqlError {
  if (SqlError.isInstance(error)) return error;
  const code = codeOf(error);
  return new SqlError(code, `SQLite: ${reasonOf(error)}.`, { cause: error });
}

const undoing: ReadonlySet<SqlErrorCode> = new Set(["disk_full", "damaged", "open_failed"]);

/**
 * True if SQLite may have rolled back the transaction itself after this error
 * (https://sqlite.org/lang_transaction.html, section 3).
 */
export function mayHaveRolledBack(error: SqlError): boolean {
  return undoing.has(error.code) || /\b(?:I\/O error|out of memory)\b/i.test(error.message);
}

function codeOf(error: unknown): SqlErrorCode {
  if (typeof error !== "object" || error === null) return "statement_failed";
  const extended =
    "errcode" in error && typeof error.errcode === "number" ? error.errcode : undefined;
  const name = "code" in error && typeof error.code === "string" ? error.code : "";
  if (name === "ERR_OUT_OF_RANGE") return "out_of_range";
  const found = codes.find(([number, word]) =>
    extended === undefined
      ? name === `SQLITE_${word}` || name.startsWith(`SQLITE_${word}_`)
      : (extended & 0xff) === number,
  );
  return found?.[2] ?? "statement_failed";
}
