import type { ArtifactHandle } from "@ccl/artifact-store";
import { handleChecksum } from "@ccl/artifact-store/driver";
import type { PostgresSession } from "@ccl/sql";

/** The columns of a handle. */
export const handleColumns =
  "handle_id, artifact_id, session_id, source, summary, mime_type, size_bytes, created_at, checksum";

/** Adds handles to existing blobs with one statement. Does not change existing handles. */
export async function insertHandles(
  session: PostgresSession,
  handles: readonly ArtifactHandle[],
): Promise<void> {
  // Sent as one JSON document, because clients encode arrays differently.
  await session.query(
    `INSERT INTO ccl_artifact_handles (${handleColumns})
     SELECT "handleId", "artifactId", "sessionId", source, summary, "mimeType", "sizeBytes", "createdAt", checksum
     FROM jsonb_to_recordset($1::jsonb) AS handle("handleId" text, "artifactId" text, "sessionId" text, source text,
       summary text, "mimeType" text, "sizeBytes" bigint, "createdAt" bigint, checksum text)
     ON CONFLICT DO NOTHING`,
    [JSON.stringify(handles.map((each) => ({ ...each, checksum: handleChecksum(each) })))],
  );
}
