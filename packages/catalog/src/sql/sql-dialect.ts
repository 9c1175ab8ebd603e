/** Where the two databases differ. */
export interface SqlDialect {
  name: "sqlite" | "postgres";
  /** Follows a column: it is in the JSON list of texts that is the parameter. */
  inTexts: string;
  /** Type of a text that is compared by its bytes. */
  textKey: string;
  bytes: string;
}

/** SQLite. */
export const sqliteDialect: SqlDialect = {
  name: "sqlite",
  inTexts: "IN (SELECT value FROM json_each(?))",
  textKey: "TEXT",
  bytes: "BLOB",
};

/** PostgreSQL. */
export const postgresDialect: SqlDialect = {
  name: "postgres",
  inTexts: "= ANY (ARRAY(SELECT json_array_elements_text(?::json)))",
  textKey: 'TEXT COLLATE "C"',
  bytes: "BYTEA",
};
