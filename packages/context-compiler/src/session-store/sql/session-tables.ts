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
