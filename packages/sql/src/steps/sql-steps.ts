/** What a statement of a step takes. */
type SqlValue = null | string | number | Uint8Array;

/** A row by column name. */
export type SqlRow = Record<string, unknown>;

/** One statement; parameters stand for `?` from left to right, and a `?` means nothing else. */
export interface SqlStep {
  sql: string;
  parameters: readonly SqlValue[];
  hasRows: boolean;
  /** Rows that stand for `VALUES ROWS` in the statement; none sends nothing. */
  inserted?: readonly (readonly SqlValue[])[] | undefined;
}

/** A piece of work: it gives out statements and takes their rows, so that it runs on a waiting or a blocking client. */
export type SqlSteps<Value> = Generator<SqlStep, Value, SqlRow[]>;

/** Rows of a statement. */
export function* rowsOf(sql: string, ...parameters: SqlValue[]): SqlSteps<SqlRow[]> {
  return yield { sql, parameters, hasRows: true };
}

/** A statement that gives no rows. */
export function* run(sql: string, ...parameters: SqlValue[]): SqlSteps<void> {
  yield { sql, parameters, hasRows: false };
}

/** Inserts rows by a statement with `VALUES ROWS`; no key may occur twice. */
export function* insertRows(
  sql: string,
  inserted: readonly (readonly SqlValue[])[],
): SqlSteps<void> {
  if (inserted.length > 0) yield { sql, parameters: [], hasRows: false, inserted };
}
