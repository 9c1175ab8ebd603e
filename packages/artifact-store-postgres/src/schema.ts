import type { Migration, PostgresSession } from "@ccl/sql";

/**
 * The tables, with the prefix `ccl_artifact_`. Up to one chunk of bytes is in `blobs.content`. Longer content is in
 * rows of `chunks`, found by `blob_no`, so that it can be written before the blob. Nothing is compressed: stored
 * content is often compressed already, and decompression would cost more than the space.
 */
export const migrations: readonly Migration<PostgresSession>[] = [
  {
    version: 1,
    up: `
      CREATE TABLE ccl_artifact_blobs (
        artifact_id text COLLATE "C" PRIMARY KEY,
        size_bytes bigint NOT NULL,
        chunk_hashes bytea NOT NULL,
        content bytea,
        blob_no bigint UNIQUE,
        touched_at bigint NOT NULL,
        is_quarantined boolean NOT NULL DEFAULT false,
        CHECK ((content IS NULL) <> (blob_no IS NULL))
      );
      ALTER TABLE ccl_artifact_blobs ALTER COLUMN content SET STORAGE EXTERNAL;
      CREATE TABLE ccl_artifact_chunks (
        blob_no bigint NOT NULL,
        chunk_no integer NOT NULL,
        content bytea NOT NULL,
        PRIMARY KEY (blob_no, chunk_no)
      );
      ALTER TABLE ccl_artifact_chunks ALTER COLUMN content SET STORAGE EXTERNAL;
      CREATE TABLE ccl_artifact_staging (
        blob_no bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        written_at timestamptz NOT NULL DEFAULT now()
      );
      CREATE TABLE ccl_artifact_handles (
        handle_id text COLLATE "C" NOT NULL,
        artifact_id text COLLATE "C" NOT NULL REFERENCES ccl_artifact_blobs,
        session_id text COLLATE "C",
        source text COLLATE "C" NOT NULL,
        summary text NOT NULL,
        mime_type text NOT NULL,
        size_bytes bigint NOT NULL,
        created_at bigint NOT NULL,
        PRIMARY KEY (handle_id, artifact_id)
      );
      CREATE INDEX ccl_artifact_handles_artifact ON ccl_artifact_handles (artifact_id, handle_id);
      CREATE INDEX ccl_artifact_handles_session ON ccl_artifact_handles (session_id, handle_id);
      CREATE INDEX ccl_artifact_handles_source ON ccl_artifact_handles (source, handle_id);
    `,
  },
  // Absent for handles of earlier versions.
  { version: 2, up: "ALTER TABLE ccl_artifact_handles ADD COLUMN checksum text" },
];
