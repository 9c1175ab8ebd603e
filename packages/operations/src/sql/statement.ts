import type { SqliteValue } from "@ccl/sql";

/** A parameter of a statement: text, a whole number, or null. */
export type SqlValue = Extract<SqliteValue, string | number | null>;

/** A row by column name. */
export type Row = Record<string, unknown>;

/** The parts from which the text of a statement is built. */
interface SqlParts {
  /** The parameter rows, as a table `asked` with its columns. */
  asked: string;
  /** Ends a SELECT whose rows of `stored` this transaction will change. Others cannot change them until it ends. */
  lock: string;
  /** Ends a SELECT whose rows must keep their lease until the transaction ends. Others may change the rest of them. */
  hold: string;
  /** Ends a SELECT whose rows get another lease. It waits for all transactions that hold them. */
  takeOver: string;
}

/**
 * A statement over many rows at once. PostgreSQL runs it once, with arrays for `asked`. SQLite, where a call is cheap,
 * runs it once for each row. The result is unordered. Without rows the statement is not run.
 */
export interface Statement {
  sql(parts: SqlParts): string;
  /** Column names, which should differ from those of stored columns. A `#` at the end marks a whole number. */
  columns: readonly string[];
  rows: readonly (readonly SqlValue[])[];
  hasRows: boolean;
}

/** Database work: it yields statements and receives their rows, so it runs on asynchronous and synchronous clients. */
export type Steps<Value> = Generator<Statement, Value, Row[]>;

/** The parameter rows and their columns. */
export interface Asked {
  columns: readonly string[];
  rows: readonly (readonly SqlValue[])[];
}

/** Runs a statement and returns its rows. */
export function* rowsOf(sql: Statement["sql"], asked: Asked): Steps<Row[]> {
  if (asked.rows.length === 0) return [];
  return yield { sql, ...asked, hasRows: true };
}

/** Runs a statement that returns no rows. */
export function* change(sql: Statement["sql"], asked: Asked): Steps<void> {
  if (asked.rows.length > 0) yield { sql, ...asked, hasRows: false };
}

/** A key from any texts, whatever they contain: JSON has no U+0000 and no lone surrogates. */
export function keyOf(...parts: readonly string[]): string {
  return JSON.stringify(parts.length === 1 ? parts[0] : parts);
}
