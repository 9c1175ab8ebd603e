import type { Migration, SqliteDatabase } from "@ccl/sql";

/** Rows of a set of chunks have the keys `set_id * chunksPerSet + index`. */
export const chunksPerSet: number = 2 ** 22;

/**
 * A blob's bytes are in its own row if they were put as a whole, otherwise in a set: chunk rows of 1 MiB, or a file. A
 * set belongs to a stage until a commit assigns it to a blob, so no reader finds it earlier. Blob rows never change
 * until they are removed. Changing state (without handles, quarantined) is in separate tables, so that no change copies
 * the bytes. Listings by source scan the handles in order, because an index would cost every put a page. The sums for
 * limits and the triggers that maintain them are created by the first put under a limit.
 */
export const migrations: readonly Migration<SqliteDatabase>[] = [
  {
    version: 1,
    up: `
CREATE TABLE artifact_blobs (
  blob_id INTEGER PRIMARY KEY,
  artifact_id TEXT NOT NULL UNIQUE,
  size_bytes INTEGER NOT NULL,
  set_id INTEGER,
  is_file INTEGER NOT NULL DEFAULT 0,
  chunk_hashes BLOB NOT NULL,
  bytes BLOB
);
CREATE TABLE artifact_orphans (blob_id INTEGER PRIMARY KEY, orphaned_at REAL NOT NULL);
CREATE INDEX artifact_orphans_by_time ON artifact_orphans (orphaned_at);
CREATE TABLE artifact_quarantine (blob_id INTEGER PRIMARY KEY);

CREATE TABLE artifact_chunks (chunk_key INTEGER PRIMARY KEY, bytes BLOB NOT NULL);
CREATE TABLE artifact_stages (
  set_id INTEGER PRIMARY KEY AUTOINCREMENT,
  is_file INTEGER NOT NULL,
  written_at REAL NOT NULL
);
CREATE TABLE artifact_dropped_files (set_id INTEGER PRIMARY KEY);

CREATE TABLE artifact_handles (
  handle_id TEXT NOT NULL,
  blob_id INTEGER NOT NULL REFERENCES artifact_blobs (blob_id),
  session_id TEXT,
  source TEXT NOT NULL,
  mime_type TEXT NOT NULL,
  created_at REAL NOT NULL,
  summary TEXT NOT NULL,
  PRIMARY KEY (handle_id, blob_id)
) WITHOUT ROWID;
CREATE INDEX artifact_handles_by_blob ON artifact_handles (blob_id, session_id, handle_id);
CREATE INDEX artifact_handles_by_session ON artifact_handles (session_id, handle_id) WHERE session_id IS NOT NULL;

CREATE TRIGGER artifact_blob_removed AFTER DELETE ON artifact_blobs BEGIN
  DELETE FROM artifact_orphans WHERE blob_id = OLD.blob_id;
  DELETE FROM artifact_quarantine WHERE blob_id = OLD.blob_id;
  INSERT INTO artifact_dropped_files SELECT OLD.set_id WHERE OLD.is_file;
  DELETE FROM artifact_chunks
    WHERE chunk_key >= OLD.set_id * ${chunksPerSet} AND chunk_key < (OLD.set_id + 1) * ${chunksPerSet};
END;
`,
  },
  // Absent for handles of earlier versions.
  { version: 2, up: "ALTER TABLE artifact_handles ADD COLUMN checksum TEXT" },
];

const sums = `
CREATE TABLE artifact_totals (only INTEGER PRIMARY KEY CHECK (only = 0), bytes INTEGER NOT NULL);
CREATE TABLE artifact_sessions (session_id TEXT PRIMARY KEY, bytes INTEGER NOT NULL) WITHOUT ROWID;
INSERT INTO artifact_totals SELECT 0, coalesce(sum(size_bytes), 0) FROM artifact_blobs;
INSERT INTO artifact_sessions SELECT session_id, sum(size_bytes) FROM (
    SELECT DISTINCT session_id, blob_id FROM artifact_handles WHERE session_id IS NOT NULL
  ) JOIN artifact_blobs USING (blob_id) GROUP BY session_id;

CREATE TRIGGER artifact_blob_added AFTER INSERT ON artifact_blobs BEGIN
  UPDATE artifact_totals SET bytes = bytes + NEW.size_bytes;
END;
CREATE TRIGGER artifact_blob_gone AFTER DELETE ON artifact_blobs BEGIN
  UPDATE artifact_totals SET bytes = bytes - OLD.size_bytes;
END;
CREATE TRIGGER artifact_blob_resized AFTER UPDATE OF size_bytes ON artifact_blobs
WHEN NEW.size_bytes <> OLD.size_bytes BEGIN
  UPDATE artifact_totals SET bytes = bytes + NEW.size_bytes - OLD.size_bytes;
  UPDATE artifact_sessions SET bytes = bytes + NEW.size_bytes - OLD.size_bytes
    WHERE session_id IN (SELECT session_id FROM artifact_handles WHERE blob_id = NEW.blob_id);
END;
CREATE TRIGGER artifact_handle_added AFTER INSERT ON artifact_handles
WHEN NEW.session_id IS NOT NULL AND NOT EXISTS (
  SELECT 1 FROM artifact_handles
    WHERE blob_id = NEW.blob_id AND session_id = NEW.session_id AND handle_id <> NEW.handle_id
) BEGIN
  INSERT INTO artifact_sessions SELECT NEW.session_id, size_bytes FROM artifact_blobs WHERE blob_id = NEW.blob_id
    ON CONFLICT (session_id) DO UPDATE SET bytes = bytes + excluded.bytes;
END;
CREATE TRIGGER artifact_handle_removed AFTER DELETE ON artifact_handles
WHEN OLD.session_id IS NOT NULL AND NOT EXISTS (
  SELECT 1 FROM artifact_handles WHERE blob_id = OLD.blob_id AND session_id = OLD.session_id
) BEGIN
  UPDATE artifact_sessions
    SET bytes = bytes - (SELECT size_bytes FROM artifact_blobs WHERE blob_id = OLD.blob_id)
    WHERE session_id = OLD.session_id;
  DELETE FROM artifact_sessions WHERE session_id = OLD.session_id AND NOT EXISTS (
    SELECT 1 FROM artifact_handles WHERE session_id = OLD.session_id
  );
END;
`;

/** Creates the sums unless an earlier put under a limit did. */
export function ensureSums(tx: SqliteDatabase): void {
  const find = "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'artifact_totals'";
  if (tx.prepare(find).get() === undefined) tx.exec(sums);
}
