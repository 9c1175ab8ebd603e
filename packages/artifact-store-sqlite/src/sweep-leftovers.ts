import { transaction, type SqliteDatabase } from "@ccl/sql";
import { blobFileName, type BlobDirectory } from "./blob-directory.ts";
import { dropStage } from "./staged-set.ts";

/**
 * Removes the remains of streams that have written nothing since `before`. Their processes have
 * died.
 */
export async function sweepStages(
  database: SqliteDatabase,
  directory: BlobDirectory | undefined,
  before: number,
): Promise<void> {
  const find = "SELECT set_id, is_file FROM artifact_stages WHERE written_at < ?";
  for (const row of database.prepare(find).all(before)) {
    const setId = Number(row["set_id"]);
    if (row["is_file"] !== 0 && directory === undefined) continue;
    await transaction(database, (tx) => {
      if (tx.prepare(`${find} AND set_id = ?`).get(before, setId) === undefined) return;
      if (row["is_file"] === 0) return dropStage(tx, setId);
      tx.prepare("INSERT INTO artifact_dropped_files VALUES (?)").run(setId);
      tx.prepare("DELETE FROM artifact_stages WHERE set_id = ?").run(setId);
    });
  }
}

/** Removes the files that no blob owns any more, after the commit that dropped them. */
export async function removeDroppedFiles(
  database: SqliteDatabase,
  directory: BlobDirectory,
): Promise<void> {
  for (const row of database.prepare("SELECT set_id FROM artifact_dropped_files").all()) {
    const setId = Number(row["set_id"]);
    await directory.remove(blobFileName(setId));
    const forget = "DELETE FROM artifact_dropped_files WHERE set_id = ?";
    await transaction(database, (tx) => void tx.prepare(forget).run(setId));
  }
}
