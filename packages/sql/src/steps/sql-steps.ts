/** A statement parameter. */
type SqlValue = null | string | number | Uint8Array;

/** A row, keyed by column name. */
export type SqlRow = Record<string, unknown>;

/** One statement. Parameters replace `?` from left to right, and `?` has no other meaning. */
export interface SqlStep {
  sql: string;
  parameters: readonly SqlValue[];
  /** Rows that replace `VALUES ROWS` in the statement. If the list is empty, the statement is not sent. */
  inserted?: readonly (readonly SqlValue[])[] | undefined;
}

/** A generator that yields statements and receives their rows. It can run on asynchronous or synchronous clients. */
export type SqlSteps<Value> = Generator<SqlStep, Value, SqlRow[]>;

/** Runs a statement and returns its rows. */
export function* rowsOf(sql: string, ...parameters: SqlValue[]): SqlSteps<SqlRow[]> {
  return yield { sql, parameters };
}

/** Runs a statement that returns no rows. */
export function* run(sql: string, ...parameters: SqlValue[]): SqlSteps<void> {
  yield { sql, parameters };
}

/** Inserts rows with a statement that contains `VALUES ROWS`. Keys must be unique. */
export function* insertRows(
  sql: string,
  inserted: readonly (readonly SqlValue[])[],
): SqlSteps<void> {
  if (inserted.length > 0) yield { sql, parameters: [], inserted };
}
