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
