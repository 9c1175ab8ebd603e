/**
 * Creates the tables. Keys are JSON texts (see `keyOf`). `sort_key` is an id's UTF-16 code units in hex. A run is
 * unfinished while its result is null, and its branch then accepts no other run. The one row of `tokens` issues
 * fencing tokens, and its lock serializes the granting of leases. A row of `events` contains the events of one append,
 * as an array.
 */
export function createTables(keyType: string): string {
  return `
CREATE TABLE ccl_operation_profiles (
  sort_key ${keyType} PRIMARY KEY,
  profile_id TEXT NOT NULL,
  version BIGINT NOT NULL,
  profile TEXT NOT NULL
);
CREATE TABLE ccl_operation_tokens (id BIGINT PRIMARY KEY, last_token BIGINT NOT NULL);
INSERT INTO ccl_operation_tokens (id, last_token) VALUES (1, 0);
CREATE TABLE ccl_operation_runs (
  run_key ${keyType} PRIMARY KEY,
  sort_key ${keyType} NOT NULL,
  branch_key ${keyType} NOT NULL,
  input TEXT NOT NULL,
  last_seq BIGINT NOT NULL,
  last_epoch BIGINT NOT NULL,
  step_count BIGINT NOT NULL,
  lease_owner TEXT NOT NULL,
  fencing_token BIGINT NOT NULL,
  expires_at BIGINT NOT NULL,
  is_held BIGINT NOT NULL,
  abort_request TEXT,
  result TEXT
);
CREATE UNIQUE INDEX ccl_operation_runs_active ON ccl_operation_runs (branch_key) WHERE result IS NULL;
CREATE INDEX ccl_operation_runs_unfinished ON ccl_operation_runs (sort_key) WHERE result IS NULL;
CREATE TABLE ccl_operation_requests (
  request_key ${keyType} PRIMARY KEY,
  run_key TEXT NOT NULL,
  payload_hash TEXT NOT NULL,
  kept_until BIGINT NOT NULL
);
CREATE INDEX ccl_operation_requests_kept ON ccl_operation_requests (kept_until);
CREATE TABLE ccl_operation_events (
  run_key ${keyType} NOT NULL,
  first_seq BIGINT NOT NULL,
  last_seq BIGINT NOT NULL,
  events TEXT NOT NULL,
  PRIMARY KEY (run_key, first_seq)
);
CREATE TABLE ccl_operation_steps (
  run_key ${keyType} NOT NULL,
  step_key ${keyType} NOT NULL,
  position BIGINT NOT NULL,
  step TEXT NOT NULL,
  PRIMARY KEY (run_key, step_key)
);
CREATE TABLE ccl_operation_sessions (session_key ${keyType} PRIMARY KEY, fencing_token BIGINT NOT NULL);
CREATE TABLE ccl_operation_versions (
  session_key ${keyType} NOT NULL,
  tag_key ${keyType} NOT NULL,
  version BIGINT NOT NULL,
  artifact TEXT NOT NULL,
  PRIMARY KEY (session_key, tag_key, version)
);
CREATE TABLE ccl_operation_turn_heads (
  session_key ${keyType} NOT NULL,
  turn_key ${keyType} NOT NULL,
  opened BIGINT NOT NULL,
  heads TEXT NOT NULL,
  PRIMARY KEY (session_key, turn_key)
);
CREATE TABLE ccl_operation_branches (branch_key ${keyType} PRIMARY KEY, fencing_token BIGINT NOT NULL);
CREATE TABLE ccl_operation_turns (
  branch_key ${keyType} NOT NULL,
  position BIGINT NOT NULL,
  turn_key ${keyType} NOT NULL,
  user_message TEXT NOT NULL,
  answer TEXT,
  turn TEXT NOT NULL,
  PRIMARY KEY (branch_key, position),
  UNIQUE (branch_key, turn_key)
);`;
}

/** Finds the runs of a branch, so that they can be deleted with their turns. */
export const addBranchIndex =
  "CREATE INDEX ccl_operation_runs_branch ON ccl_operation_runs (branch_key);";

/** Adds the end time of runs, so that old ones can be deleted. `endOfResult` reads it from a stored result. */
export function addRunEnds(endOfResult: string): string {
  return `
ALTER TABLE ccl_operation_runs ADD COLUMN ended_at BIGINT;
UPDATE ccl_operation_runs SET ended_at = ${endOfResult} WHERE result IS NOT NULL;
CREATE INDEX ccl_operation_runs_ended ON ccl_operation_runs (ended_at) WHERE ended_at IS NOT NULL;
CREATE INDEX ccl_operation_requests_run ON ccl_operation_requests (run_key);`;
}

/** Adds the tables for state, which is stored with the turns whose runs wrote it. */
export function addWrites(keyType: string): string {
  return `
CREATE TABLE ccl_operation_writes (
  branch_key ${keyType} NOT NULL,
  turn_key ${keyType} NOT NULL,
  run_key ${keyType} NOT NULL,
  write_key ${keyType} NOT NULL,
  place BIGINT NOT NULL,
  session_key TEXT NOT NULL,
  tag_key TEXT NOT NULL,
  reach BIGINT NOT NULL,
  kept TEXT NOT NULL,
  PRIMARY KEY (branch_key, turn_key, run_key, write_key)
);
CREATE INDEX ccl_operation_writes_run ON ccl_operation_writes (run_key);
ALTER TABLE ccl_operation_turns ADD COLUMN state_session TEXT;
ALTER TABLE ccl_operation_turns ADD COLUMN state_run TEXT;
ALTER TABLE ccl_operation_turns ADD COLUMN state_heads TEXT;`;
}

/** Drops the tables that `moveStates` has emptied. */
export const dropSessions = `
DROP TABLE ccl_operation_versions;
DROP TABLE ccl_operation_turn_heads;
DROP TABLE ccl_operation_sessions;`;

/** Makes @ccl/records move the profiles out of their table, and drop it, when it next opens the database. */
export const handProfilesOver =
  "INSERT INTO ccl_schema (component, version) VALUES ('operation_profiles', 1);";

/** Drops what the turn itself already contains. */
export const dropShown = `
ALTER TABLE ccl_operation_turns DROP COLUMN user_message;
ALTER TABLE ccl_operation_turns DROP COLUMN answer;`;
