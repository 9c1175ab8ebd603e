import type { ArtifactHandle } from "@ccl/artifact-store";
import { handleChecksum } from "@ccl/artifact-store/driver";
import type { SqliteDatabase } from "@ccl/sql";

/** The columns of a handle: `h` is the handle, `b` its blob. */
export const handleColumns: string = `h.handle_id, b.artifact_id, h.summary, b.size_bytes, h.mime_type, h.created_at, h.source,
  h.session_id, h.checksum FROM artifact_handles h JOIN artifact_blobs b ON b.blob_id = h.blob_id`;

/** Adds a handle to a blob. Does not change an existing handle. */
export function insertHandle(
  database: SqliteDatabase,
  blobId: number,
  handle: ArtifactHandle,
): void {
  const insert = `INSERT INTO artifact_handles (handle_id, blob_id, session_id, source, mime_type, created_at, summary, checksum)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`;
  const { handleId, sessionId = null, source, mimeType, createdAt, summary } = handle;
  database
    .prepare(insert)
    .run(handleId, blobId, sessionId, source, mimeType, createdAt, summary, handleChecksum(handle));
}
