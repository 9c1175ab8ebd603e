import { ArtifactStoreError } from "@ccl/artifact-store";
import type { StagedBlob } from "@ccl/artifact-store/driver";
import { type PostgresSession, numberIn } from "@ccl/sql";

/** Time without a new chunk after which the next store to open removes a stream. */
const abandonedAfter = "1 day";

/** Chunks that are in the database but do not belong to a blob yet. */
export class StagedChunks implements StagedBlob {
  readonly blobNo: number;
  readonly #session: PostgresSession;
  #chunks = 0;

  constructor(session: PostgresSession, blobNo: number) {
    this.#session = session;
    this.blobNo = blobNo;
  }

  static async begin(session: PostgresSession): Promise<StagedChunks> {
    const [row] = await session.query(
      "INSERT INTO ccl_artifact_staging DEFAULT VALUES RETURNING blob_no",
    );
    return new StagedChunks(session, row === undefined ? 0 : numberIn(row, "blob_no"));
  }

  async write(piece: Uint8Array): Promise<void> {
    // The staging row shows that the stream is alive and has not been swept.
    const rows = await this.#session.query(
      `WITH alive AS (UPDATE ccl_artifact_staging SET written_at = now() WHERE blob_no = $1 RETURNING blob_no)
       INSERT INTO ccl_artifact_chunks SELECT blob_no, $2::integer, $3::bytea FROM alive RETURNING chunk_no`,
      [this.blobNo, this.#chunks, piece],
    );
    if (rows.length === 0) throw abandoned();
    this.#chunks += 1;
  }

  /** Makes the chunks part of the blob that the transaction writes. */
  async take(transaction: PostgresSession): Promise<void> {
    const taken = await transaction.query(
      "DELETE FROM ccl_artifact_staging WHERE blob_no = $1 RETURNING blob_no",
      [this.blobNo],
    );
    if (taken.length === 0) throw abandoned();
  }

  async discard(): Promise<void> {
    await this.#session.query(
      `WITH gone AS (DELETE FROM ccl_artifact_staging WHERE blob_no = $1 RETURNING blob_no)
       DELETE FROM ccl_artifact_chunks USING gone WHERE ccl_artifact_chunks.blob_no = gone.blob_no`,
      [this.blobNo],
    );
  }
}

/** Removes the remains of processes that ended in the middle of a stream. */
export async function sweepAbandoned(session: PostgresSession): Promise<void> {
  await session.query(
    `WITH gone AS (
       DELETE FROM ccl_artifact_staging WHERE written_at < now() - interval '${abandonedAfter}' RETURNING blob_no
     )
     DELETE FROM ccl_artifact_chunks USING gone WHERE ccl_artifact_chunks.blob_no = gone.blob_no`,
  );
}

function abandoned(): ArtifactStoreError {
  const message = `The stream gave nothing for ${abandonedAfter} and was cleared away; store it again.`;
  return new ArtifactStoreError("unavailable", message);
}
