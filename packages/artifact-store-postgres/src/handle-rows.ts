import type { ArtifactHandle } from "@ccl/artifact-store";
import { checkedHandle, handleChecksum, type FoundHandle } from "@ccl/artifact-store/driver";
import { numberIn, textIn, type PostgresRow, type PostgresSession } from "@ccl/sql";

/** The columns that `handleOf` reads. */
export const handleColumns =
  "handle_id, artifact_id, session_id, source, summary, mime_type, size_bytes, created_at, checksum";

/** Converts a row to a handle, which is damaged if its checksum does not match. */
export function handleOf(row: PostgresRow): FoundHandle {
  const { session_id: sessionId, checksum } = row;
  const handle: ArtifactHandle = {
    handleId: textIn(row, "handle_id"),
    artifactId: textIn(row, "artifact_id"),
    summary: textIn(row, "summary"),
    sizeBytes: numberIn(row, "size_bytes"),
    mimeType: textIn(row, "mime_type"),
    createdAt: numberIn(row, "created_at"),
    source: textIn(row, "source"),
    sessionId: typeof sessionId === "string" ? sessionId : undefined,
  };
  return checkedHandle(handle, checksum);
}

/** Adds handles of existing blobs with one statement. Existing handles stay as they are. */
export async function insertHandles(
  session: PostgresSession,
  handles: readonly ArtifactHandle[],
): Promise<void> {
  // One JSON document, because clients encode arrays differently.
  await session.query(
    `INSERT INTO ccl_artifact_handles (${handleColumns})
     SELECT "handleId", "artifactId", "sessionId", source, summary, "mimeType", "sizeBytes", "createdAt", checksum
     FROM jsonb_to_recordset($1::jsonb) AS handle("handleId" text, "artifactId" text, "sessionId" text, source text,
       summary text, "mimeType" text, "sizeBytes" bigint, "createdAt" bigint, checksum text)
     ON CONFLICT DO NOTHING`,
    [JSON.stringify(handles.map((each) => ({ ...each, checksum: handleChecksum(each) })))],
  );
}
