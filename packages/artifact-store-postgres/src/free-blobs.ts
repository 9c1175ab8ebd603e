import type { PostgresSession } from "@ccl/sql";
import { numberIn, textIn } from "./handle-rows.ts";

/** A blob that is gone. */
export interface FreedBlob {
  artifactId: string;
  sizeBytes: number;
}

/**
 * Frees those of the blobs that no handle names and none has named after `until`. Each row is locked by one statement and looked at by the next, whose
 * view is newer than any commit that held the lock; whoever adds a handle locks the row too.
 */
export async function freeUnreferenced(
  transaction: PostgresSession,
  artifactIds: readonly string[],
  until: number = Number.MAX_SAFE_INTEGER,
): Promise<FreedBlob[]> {
  if (artifactIds.length === 0) return [];
  const ids = JSON.stringify(artifactIds);
  const wanted = "artifact_id IN (SELECT jsonb_array_elements_text($1::jsonb))";
  await transaction.query(
    `SELECT 1 AS locked FROM ccl_artifact_blobs WHERE ${wanted} ORDER BY artifact_id FOR UPDATE`,
    [ids],
  );
  const freed = await transaction.query(
    `WITH freed AS (
       DELETE FROM ccl_artifact_blobs blob WHERE ${wanted} AND touched_at <= $2
         AND NOT EXISTS (SELECT 1 FROM ccl_artifact_handles handle WHERE handle.artifact_id = blob.artifact_id)
       RETURNING artifact_id, size_bytes, blob_no
     ), cleared AS (
       DELETE FROM ccl_artifact_chunks USING freed WHERE ccl_artifact_chunks.blob_no = freed.blob_no
     )
     SELECT artifact_id, size_bytes FROM freed`,
    [ids, until],
  );
  return freed.map((row) => ({ artifactId: textIn(row, "artifact_id"), sizeBytes: numberIn(row, "size_bytes") }));
}
