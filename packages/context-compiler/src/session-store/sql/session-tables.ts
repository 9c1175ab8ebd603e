/** One statement; parameters stand for `?` from left to right. */
interface Statement {
  sql: string;
  parameters: readonly (string | number)[];
  hasRows: boolean;
}

/** A row by column name. */
export type Row = Record<string, unknown>;

/** A call on the tables: it gives out statements and takes their rows, so that it runs on a waiting or a blocking client. */
export type Steps<Value> = Generator<Statement, Value, Row[]>;

/** Rows of a statement. */
export function* rowsOf(sql: string, ...parameters: (string | number)[]): Steps<Row[]> {
  return yield { sql, parameters, hasRows: true };
}

/** A statement that gives no rows. */
export function* run(sql: string, ...parameters: (string | number)[]): Steps<void> {
  yield { sql, parameters, hasRows: false };
}

/**
 * The tables, for both kinds of database. `sort_key` is the id's UTF-16 code units in hex, which both sort alike;
 * `autoKey` is the type of a key that counts by itself.
 */
export function createTables(autoKey: string): string {
  return `
CREATE TABLE ccl_session_logs (
  log_no ${autoKey},
  session_id TEXT NOT NULL UNIQUE,
  sort_key TEXT NOT NULL UNIQUE,
  version INTEGER NOT NULL
);
CREATE TABLE ccl_session_events (
  log_no INTEGER NOT NULL REFERENCES ccl_session_logs (log_no),
  position INTEGER NOT NULL,
  event TEXT NOT NULL,
  sha256 TEXT NOT NULL,
  PRIMARY KEY (log_no, position)
);
CREATE TABLE ccl_session_states (
  session_id TEXT NOT NULL,
  state_key TEXT NOT NULL,
  value TEXT NOT NULL,
  PRIMARY KEY (session_id, state_key)
);`;
}

/** The code units of an id in hex, 4 digits each. */
export function sortKeyOf(sessionId: string): string {
  let key = "";
  for (let index = 0; index < sessionId.length; index += 1) {
    key += sessionId.charCodeAt(index).toString(16).padStart(4, "0");
  }
  return key;
}
