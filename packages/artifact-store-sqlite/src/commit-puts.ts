import { ArtifactStoreError, type StoreLimits } from "@ccl/artifact-store";
import type { BlobPut, BlobRecord, CommitOutcome, StagedBlob } from "@ccl/artifact-store/driver";
import type { SqliteDatabase } from "@ccl/sql";
import { watchLimits } from "./fit-limits.ts";
import { insertHandle } from "./handle-row.ts";
import { dropChunks, StagedSet } from "./staged-set.ts";

/** Writes all puts within the transaction of their commit. */
export function commitPuts(
  tx: SqliteDatabase,
  puts: readonly BlobPut[],
  limits: StoreLimits,
): CommitOutcome[] {
  const fitLimits = watchLimits(tx, puts, limits);
  const done = puts.map((put) => commitPut(tx, put));
  fitLimits(done.map(({ blobId }) => blobId));
  return done.map(({ outcome }) => outcome);
}

function commitPut(tx: SqliteDatabase, put: BlobPut): { outcome: CommitOutcome; blobId: number } {
  const written = insertBlob(tx, put);
  const blobId = written ?? adoptBlob(tx, put.record.artifactId);
  for (const handle of put.handles) insertHandle(tx, blobId, handle);
  return { outcome: written === undefined ? "present" : "written", blobId };
}

/** Inserts a blob. Returns undefined if one with that id exists. */
function insertBlob(tx: SqliteDatabase, { record, content }: BlobPut): number | undefined {
  const { artifactId, sizeBytes, chunkHashes } = record;
  const { bytes, setId, isFile } = placeOf(content);
  const insert = `INSERT INTO artifact_blobs (artifact_id, size_bytes, set_id, is_file, chunk_hashes, bytes)
    VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`;
  const done = tx.prepare(insert).run(artifactId, sizeBytes, setId, isFile, chunkHashes, bytes);
  if (done.changes === 0) return undefined;
  if (content instanceof StagedSet) content.take(tx);
  return Number(done.lastInsertRowid);
}

function adoptBlob(tx: SqliteDatabase, artifactId: string): number {
  const row = tx
    .prepare("SELECT blob_id FROM artifact_blobs WHERE artifact_id = ?")
    .get(artifactId);
  const blobId = Number(row?.["blob_id"]);
  tx.prepare("DELETE FROM artifact_orphans WHERE blob_id = ?").run(blobId);
  return blobId;
}

/** Replaces damaged bytes and a damaged record within a transaction. Does nothing if the blob does not exist. */
export function repairBlob(
  tx: SqliteDatabase,
  record: BlobRecord,
  content: Uint8Array | StagedBlob,
): boolean {
  const row = tx
    .prepare("SELECT blob_id, set_id, is_file FROM artifact_blobs WHERE artifact_id = ?")
    .get(record.artifactId);
  if (row === undefined) return false;
  const blobId = Number(row["blob_id"]);
  const { bytes, setId, isFile } = placeOf(content);
  if (content instanceof StagedSet) content.take(tx);
  if (row["is_file"] !== 0)
    tx.prepare("INSERT INTO artifact_dropped_files VALUES (?)").run(Number(row["set_id"]));
  else if (row["set_id"] !== null) dropChunks(tx, Number(row["set_id"]));
  const update = `UPDATE artifact_blobs SET size_bytes = ?, set_id = ?, is_file = ?, chunk_hashes = ?, bytes = ?
    WHERE blob_id = ?`;
  tx.prepare(update).run(record.sizeBytes, setId, isFile, record.chunkHashes, bytes, blobId);
  tx.prepare("DELETE FROM artifact_quarantine WHERE blob_id = ?").run(blobId);
  return true;
}

/** Where a blob's bytes are stored: in its own row, or in a set of chunk rows or a file. */
interface BytesPlace {
  bytes: Uint8Array | null;
  setId: number | null;
  isFile: number;
}

function placeOf(content: Uint8Array | StagedBlob): BytesPlace {
  if (content instanceof StagedSet)
    return { bytes: null, setId: content.setId, isFile: Number(content.isFile) };
  if (content instanceof Uint8Array) return { bytes: content, setId: null, isFile: 0 };
  throw new ArtifactStoreError("invalid_input", "These bytes were staged by another store.");
}
