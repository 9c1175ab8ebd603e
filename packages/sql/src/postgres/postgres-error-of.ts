import { reasonOf, SqlError, type SqlErrorCode } from "../sql-error.ts";

// Classes and codes from https://www.postgresql.org/docs/15/errcodes-appendix.html. The longest matching prefix wins.
const codes: readonly [prefix: string, code: SqlErrorCode][] = [
  ["53100", "disk_full"],
  ["40001", "busy"],
  ["40P01", "busy"],
  ["55P03", "busy"],
  ["25006", "read_only"],
  ["23", "constraint"],
  ["08", "connection_failed"],
  ["57P", "connection_failed"],
  ["53300", "connection_failed"],
  ["XX001", "damaged"],
  ["XX002", "damaged"],
];

const lostConnection =
  /connection terminated|not queryable|client was closed|PGlite is closed|timeout exceeded when trying to connect/i;

/** Converts a client's error to a `SqlError`. A `SqlError` is returned unchanged. */
export function postgresErrorOf(error: unknown): SqlError {
  if (SqlError.isInstance(error)) return error;
  return new SqlError(codeOf(error), `PostgreSQL: ${reasonOf(error)}.`, { cause: error });
}

function codeOf(error: unknown): SqlErrorCode {
  const name =
    error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
  const found = codes.find(([prefix]) => name.startsWith(prefix));
  if (found !== undefined) return found[1];
  // A system error from the socket, such as ECONNRESET, or a pg message without a code.
  const isLost = /^E[A-Z]+$/.test(name) || (name === "" && lostConnection.test(reasonOf(error)));
  return isLost ? "connection_failed" : "statement_failed";
}
