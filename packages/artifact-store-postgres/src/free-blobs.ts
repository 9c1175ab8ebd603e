import type { FreedBlob } from "@ccl/artifact-store/driver";
import { type PostgresSession, numberIn, textIn } from "@ccl/sql";

const wanted = "artifact_id IN (SELECT jsonb_array_elements_text($1::jsonb))";

/** What to do with blobs that another transaction has locked. */
type LockMode = "wait" | "skip";

/**
 * Locks blobs in the order of their ids before their handles are changed, so that no two transactions wait for each
 * other. Returns the locked ids. The caller must not touch a blob that appears later.
 */
export async function lockBlobs(
  transaction: PostgresSession,
  artifactIds: readonly string[],
  mode: LockMode = "wait",
): Promise<string[]> {
  const rows = await transaction.query(
    `SELECT artifact_id FROM ccl_artifact_blobs WHERE ${wanted}
     ORDER BY artifact_id FOR UPDATE ${mode === "skip" ? "SKIP LOCKED" : ""}`,
    [JSON.stringify(artifactIds)],
  );
  return rows.map((row) => textIn(row, "artifact_id"));
}

/** Frees blobs that have had no handle since `until`. Skips those that a running put or deletion has locked. */
export async function collectBlobs(
  transaction: PostgresSession,
  artifactIds: readonly string[],
  until: number,
): Promise<FreedBlob[]> {
  return freeLocked(transaction, await lockBlobs(transaction, artifactIds, "skip"), until);
}

/** Frees blobs without handles. Waits for transactions that have locked them. */
export async function freeUnreferenced(
  transaction: PostgresSession,
  artifactIds: readonly string[],
): Promise<FreedBlob[]> {
  return freeLocked(
    transaction,
    await lockBlobs(transaction, artifactIds),
    Number.MAX_SAFE_INTEGER,
  );
}

/**
 * Locks each row with one statement and checks it with the next, so that the check sees every commit that held the
 * lock. A transaction that adds a handle locks the row too.
 */
async function freeLocked(
  transaction: PostgresSession,
  artifactIds: readonly string[],
  until: number,
): Promise<FreedBlob[]> {
  if (artifactIds.length === 0) return [];
  const freed = await transaction.query(
    `WITH freed AS (
       DELETE FROM ccl_artifact_blobs blob WHERE ${wanted} AND touched_at <= $2
         AND NOT EXISTS (SELECT 1 FROM ccl_artifact_handles handle WHERE handle.artifact_id = blob.artifact_id)
       RETURNING artifact_id, size_bytes, blob_no
     ), cleared AS (
       DELETE FROM ccl_artifact_chunks USING freed WHERE ccl_artifact_chunks.blob_no = freed.blob_no
     )
     SELECT artifact_id, size_bytes FROM freed`,
    [JSON.stringify(artifactIds), until],
  );
  return freed.map((row) => ({
    artifactId: textIn(row, "artifact_id"),
    sizeBytes: numberIn(row, "size_bytes"),
  }));
}
