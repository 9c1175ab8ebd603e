import type { SqliteDatabase } from "@ccl/sql";

/** Removes a blob if it has no handle. A trigger removes its chunk rows. */
export function freeIfOrphaned(tx: SqliteDatabase, blobId: number): void {
  const free = `DELETE FROM artifact_blobs WHERE blob_id = ?1
    AND NOT EXISTS (SELECT 1 FROM artifact_handles WHERE blob_id = ?1)`;
  tx.prepare(free).run(blobId);
}
