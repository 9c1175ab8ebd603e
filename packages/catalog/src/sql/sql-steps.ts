/** What a statement takes. */
export type SqlValue = null | string | number | Uint8Array;

/** A row by column name. */
export type SqlRow = Record<string, unknown>;

/** One statement; parameters stand for `?` from left to right. */
export interface SqlStep {
  sql: string;
  parameters: readonly SqlValue[];
  hasRows: boolean;
  /** Rows that stand for `VALUES ROWS` in the statement; none sends nothing. */
  inserted?: readonly (readonly SqlValue[])[] | undefined;
}

/** A call on the tables: it gives out statements and takes their rows, so that it runs on a waiting or a blocking client. */
export type SqlSteps<Value> = Generator<SqlStep, Value, SqlRow[]>;

/** Where the two databases differ. */
export interface SqlDialect {
  name: "sqlite" | "postgres";
  /** Follows a column: it is in the JSON list of texts that is the parameter. */
  inTexts: string;
  /** Follows a column: it is in the JSON list of whole numbers that is the parameter. */
  inNumbers: string;
  /** Type of a text that is compared by its bytes. */
  textKey: string;
  bytes: string;
  /** Follows the columns of a table that is kept in the order of its key. */
  keyOrder: string;
}

/** SQLite. */
export const sqliteDialect: SqlDialect = {
  name: "sqlite",
  inTexts: "IN (SELECT value FROM json_each(?))",
  inNumbers: "IN (SELECT value FROM json_each(?))",
  textKey: "TEXT",
  bytes: "BLOB",
  keyOrder: "WITHOUT ROWID",
};

/** PostgreSQL. */
export const postgresDialect: SqlDialect = {
  name: "postgres",
  inTexts: "= ANY (ARRAY(SELECT json_array_elements_text(?::json)))",
  inNumbers: "= ANY (ARRAY(SELECT json_array_elements_text(?::json)::integer))",
  textKey: 'TEXT COLLATE "C"',
  bytes: "BYTEA",
  keyOrder: "",
};

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
