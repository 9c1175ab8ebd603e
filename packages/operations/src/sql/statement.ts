import type { SqliteValue } from "@ccl/sql";

/** What a statement takes: text, whole numbers, nothing. */
export type SqlValue = Extract<SqliteValue, string | number | null>;

/** A row by column name. */
export type Row = Record<string, unknown>;

/** What the text of a statement is put together from. */
interface SqlParts {
  /** The statement's rows as a table `asked` with its columns. */
  asked: string;
  /** Ends a SELECT whose rows of `stored` this transaction is going to change: no other transaction does until it ends. */
  lock: string;
  /** Ends one whose rows keep their lease until the transaction ends; others may change the rest of them. */
  hold: string;
  /** Ends one whose rows are given another lease: waits for all who hold them. */
  takeOver: string;
}

/**
 * A statement over many rows at once. PostgreSQL runs it once, with arrays for `asked`; SQLite, where a call costs next
 * to nothing, once for each row. Rows come in any order. Without rows it is not run.
 */
export interface Statement {
  sql(parts: SqlParts): string;
  /** Names, which should not be those of stored columns; of a whole number with a `#` at the end. */
  columns: readonly string[];
  rows: readonly (readonly SqlValue[])[];
  hasRows: boolean;
}

/** A piece of work: it gives out statements and takes their rows, so that it runs on a waiting or a blocking client. */
export type Steps<Value> = Generator<Statement, Value, Row[]>;

/** Columns and the rows of them. */
export interface Asked {
  columns: readonly string[];
  rows: readonly (readonly SqlValue[])[];
}

/** Rows that a statement gives. */
export function* rowsOf(sql: Statement["sql"], asked: Asked): Steps<Row[]> {
  if (asked.rows.length === 0) return [];
  return yield { sql, ...asked, hasRows: true };
}

/** A statement that gives no rows. */
export function* change(sql: Statement["sql"], asked: Asked): Steps<void> {
  if (asked.rows.length > 0) yield { sql, ...asked, hasRows: false };
}

/** A key of any texts, whatever they hold: JSON has no U+0000 and no half of a surrogate pair. */
export function keyOf(...parts: readonly string[]): string {
  return JSON.stringify(parts.length === 1 ? parts[0] : parts);
}
