import { ArtifactStoreError } from "@ccl/artifact-store";
import { chunkBytes, type StoredBlob } from "@ccl/artifact-store/driver";
import { SqlError, type SqliteDatabase } from "@ccl/sql";
import { blobFileName, type BlobDirectory } from "./blob-directory.ts";
import { nextTurn } from "./next-turn.ts";
import { chunksPerSet } from "./schema.ts";

/** Longer bytes are not read when a blob is found, since the caller may only ask whether it exists. */
const eagerBytes = 64 * 1024;

/** SQL that is true for a blob `b` that has a handle. */
export const hasHandle: string =
  "NOT EXISTS (SELECT 1 FROM artifact_orphans o WHERE o.blob_id = b.blob_id)";

// Built once, because statements are cached by their text and a new long string would be hashed at each call.
const selectBlob = `SELECT size_bytes, chunk_hashes, CASE WHEN size_bytes <= ${eagerBytes} THEN bytes END AS bytes,
    EXISTS (SELECT 1 FROM artifact_quarantine q WHERE q.blob_id = b.blob_id) AS is_quarantined
  FROM artifact_blobs b WHERE artifact_id = ? AND ${hasHandle}`;

/** Finds a blob that has a handle. */
export function findBlob(
  database: SqliteDatabase,
  artifactId: string,
  directory: BlobDirectory | undefined,
): StoredBlob | undefined {
  const row = reading(() => database.prepare(selectBlob).get(artifactId));
  if (row === undefined) return undefined;
  const {
    bytes,
    chunk_hashes: chunkHashes,
    is_quarantined: isQuarantined,
    size_bytes: sizeBytes,
  } = row;
  return {
    record: {
      artifactId,
      sizeBytes: Number(sizeBytes),
      chunkHashes: chunkHashes instanceof Uint8Array ? chunkHashes : new Uint8Array(),
    },
    isQuarantined: isQuarantined !== 0,
    bytes: bytes instanceof Uint8Array ? bytes : undefined,
    async *read(firstChunk, endChunk) {
      for (let index = firstChunk; index < endChunk; index += 1) {
        const chunk = await readChunk(database, { artifactId, index, directory });
        if (chunk === undefined) return;
        yield chunk;
        await nextTurn(index);
      }
    },
  };
}

interface ChunkPlace {
  artifactId: string;
  index: number;
  directory: BlobDirectory | undefined;
}

// Looks the blob up each time, because a repair may have moved its bytes.
async function readChunk(
  database: SqliteDatabase,
  place: ChunkPlace,
): Promise<Uint8Array | undefined> {
  const { artifactId, index, directory } = place;
  const find = `SELECT is_file, set_id, CASE
      WHEN set_id IS NOT NULL THEN (SELECT c.bytes FROM artifact_chunks c WHERE c.chunk_key = set_id * ${chunksPerSet} + ?1)
      WHEN ?1 = 0 THEN bytes END AS bytes
    FROM artifact_blobs WHERE artifact_id = ?2`;
  const row = reading(() => database.prepare(find).get(index, artifactId));
  if (row === undefined || row["is_file"] === 0)
    return row?.["bytes"] instanceof Uint8Array ? row["bytes"] : undefined;
  if (directory === undefined) {
    const message = `The bytes of ${artifactId} stand in a file; open the store with the blobDirectory that it was written with.`;
    throw new ArtifactStoreError("unsupported", message);
  }
  return directory.read(
    blobFileName(Number(row["set_id"])),
    index * chunkBytes,
    (index + 1) * chunkBytes,
  );
}

/** Runs a read. Reports a damaged database file as damaged content. */
export function reading<T>(action: () => T): T {
  try {
    return action();
  } catch (error) {
    if (!(SqlError.isInstance(error) && error.code === "damaged")) throw error;
    throw damagedFile(error);
  }
}

export function damagedFile(cause: unknown): ArtifactStoreError {
  const message =
    "The database file is damaged; restore it from a backup, or copy what can be read by copyArtifacts.";
  return new ArtifactStoreError("damaged", message, { cause });
}
