import type { DriverCollectOptions, FreedBlob } from "@ccl/artifact-store/driver";
import { transaction, type SqliteDatabase, type SqliteRow } from "@ccl/sql";
import { reading } from "./find-blob.ts";

/** Number of blobs that one transaction frees. Small, so that writers need not wait long. */
const blobsPerSweep = 256;

/** Frees the blobs that have had no handle since `until`, or lists them for a dry run. */
export async function collectGarbage(
  database: SqliteDatabase,
  { until, artifactIds, isDryRun, signal }: DriverCollectOptions,
): Promise<FreedBlob[]> {
  const wanted = artifactIds === undefined ? null : JSON.stringify(artifactIds);
  const find = `SELECT blob_id, artifact_id, size_bytes FROM artifact_orphans JOIN artifact_blobs USING (blob_id) WHERE orphaned_at <= ?1
    AND (?2 IS NULL OR artifact_id IN (SELECT value FROM json_each(?2)))`;
  const garbage = (rows: SqliteRow[]): FreedBlob[] =>
    rows.map((row) => ({
      artifactId: String(row["artifact_id"]),
      sizeBytes: Number(row["size_bytes"]),
    }));
  if (isDryRun) return garbage(reading(() => database.prepare(find).all(until, wanted)));
  const freed: FreedBlob[] = [];
  const sweep = (tx: SqliteDatabase): SqliteRow[] => {
    const rows = tx.prepare(`${find} LIMIT ${blobsPerSweep}`).all(until, wanted);
    for (const row of rows)
      tx.prepare("DELETE FROM artifact_blobs WHERE blob_id = ?").run(Number(row["blob_id"]));
    return rows;
  };
  for (;;) {
    const rows = await transaction(database, sweep, { signal });
    freed.push(...garbage(rows));
    if (rows.length < blobsPerSweep) return freed;
  }
}
