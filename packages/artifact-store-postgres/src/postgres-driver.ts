import { ArtifactStoreError } from "@ccl/artifact-store";
import {
  handleOfRow,
  hasSharedLimits,
  type ArtifactDriver,
  type BlobPut,
  type BlobRecord,
  type CommitOutcome,
  type DriverListOptions,
  type FoundHandle,
  type FreedBlob,
  type StagedBlob,
  type StoredBlob,
} from "@ccl/artifact-store/driver";
import {
  createPostgresSession,
  type PostgresClient,
  type PostgresSession,
  type PostgresValue,
  bytesIn,
  numberIn,
  textIn,
} from "@ccl/sql";
import { fitLimits, grownScopes, lockLimits } from "./fit-limits.ts";
import { collectBlobs, lockBlobs } from "./free-blobs.ts";
import { handleColumns, insertHandles } from "./handle-rows.ts";
import { StagedChunks } from "./staged-chunks.ts";
import { writeTransaction } from "./write-transaction.ts";

/** Number of blobs that a collection frees in one transaction. */
const collectPage = 500;

/** Creates a driver over existing tables. `isLazy` is the server's `isCommitLazy`. */
export function createPostgresDriver(client: PostgresClient, isLazy: boolean): ArtifactDriver {
  const session = createPostgresSession(client);
  return {
    name: "postgres",
    stage: () => StagedChunks.begin(session),
    commit: (puts, options) =>
      writeTransaction(
        client,
        async (on) => {
          const { limits, now } = options;
          if (isLazy) await on.exec("SET LOCAL synchronous_commit = on");
          if (hasSharedLimits(limits)) await lockLimits(on);
          const outcomes = await putBlobs(on, puts, now);
          const scopes = await grownScopes(on, { puts, outcomes, limits });
          await insertHandles(
            on,
            puts.flatMap(({ handles }) => handles),
          );
          await fitLimits(on, scopes, { puts, isEvicting: limits.whenFull === "evict" });
          return outcomes;
        },
        options.signal,
      ),
    repair: (record, content, options) =>
      writeTransaction(
        client,
        (on) => repair(on, { record, content, now: options.now }),
        options.signal,
      ),
    find: (artifactId) => find(session, artifactId),
    async getHandles(artifactId) {
      const order = "WHERE artifact_id = $1 ORDER BY handle_id";
      const rows = await session.query(
        `SELECT ${handleColumns} FROM ccl_artifact_handles ${order}`,
        [artifactId],
      );
      return rows.map(handleOfRow);
    },
    listHandles: (options) => listHandles(session, options),
    removeHandles: (artifactId, match, options) =>
      writeTransaction(
        client,
        (on) => removeHandles(on, { ...match, artifactId, now: options.now }),
        options.signal,
      ),
    async collect({ until, artifactIds, isDryRun, signal }) {
      const wanted =
        artifactIds === undefined
          ? "true"
          : "artifact_id IN (SELECT jsonb_array_elements_text($3::jsonb))";
      const parameters = artifactIds === undefined ? [] : [JSON.stringify(artifactIds)];
      const limit = Math.floor(
        Math.max(Number.MIN_SAFE_INTEGER, Math.min(until, Number.MAX_SAFE_INTEGER)),
      );
      const freed: FreedBlob[] = [];
      for (let after = ""; ;) {
        const rows = await session.query(
          `SELECT artifact_id, size_bytes FROM ccl_artifact_blobs blob WHERE artifact_id > $1 AND touched_at <= $2
             AND ${wanted} AND NOT EXISTS (SELECT 1 FROM ccl_artifact_handles handle WHERE handle.artifact_id = blob.artifact_id)
           ORDER BY artifact_id LIMIT ${collectPage}`,
          [after, limit, ...parameters],
        );
        const found = rows.map((row) => ({
          artifactId: textIn(row, "artifact_id"),
          sizeBytes: numberIn(row, "size_bytes"),
        }));
        const ids = found.map(({ artifactId }) => artifactId);
        freed.push(
          ...(isDryRun
            ? found
            : await writeTransaction(client, (on) => collectBlobs(on, ids, limit), signal)),
        );
        if (found.length < collectPage) return freed;
        after = ids.at(-1) ?? "";
      }
    },
    async listIds({ after = "", limit }) {
      const rows = await session.query(
        "SELECT DISTINCT artifact_id FROM ccl_artifact_handles WHERE artifact_id > $1 ORDER BY artifact_id LIMIT $2",
        [after, limit],
      );
      return rows.map((row) => textIn(row, "artifact_id"));
    },
    async quarantine(artifactId) {
      await session.query(
        "UPDATE ccl_artifact_blobs SET is_quarantined = true WHERE artifact_id = $1",
        [artifactId],
      );
    },
    close: () => Promise.resolve(),
  };
}

/**
 * Puts blobs in the order of ids, so that two commits of the same blobs cannot wait for each other.
 */
async function putBlobs(
  on: PostgresSession,
  puts: readonly BlobPut[],
  now: number,
): Promise<CommitOutcome[]> {
  const ordered = puts.toSorted((a, b) => (a.record.artifactId < b.record.artifactId ? -1 : 1));
  const outcomes = new Map<BlobPut, CommitOutcome>();
  for (const put of ordered) outcomes.set(put, await putBlob(on, put, now));
  return puts.map((put) => outcomes.get(put) ?? "present");
}

async function putBlob(
  on: PostgresSession,
  { record, content }: BlobPut,
  now: number,
): Promise<CommitOutcome> {
  const { artifactId, sizeBytes, chunkHashes } = record;
  const [row] = await on.query(
    `INSERT INTO ccl_artifact_blobs AS blob (artifact_id, size_bytes, chunk_hashes, content, blob_no, touched_at)
     VALUES ($1, $2, $3, $4, $5, $6)
     ON CONFLICT (artifact_id) DO UPDATE SET touched_at = greatest(blob.touched_at, excluded.touched_at)
     RETURNING (xmax = 0) AS is_new`,
    [artifactId, sizeBytes, chunkHashes, ...contentColumns(content), now],
  );
  if (row?.["is_new"] !== true) return "present";
  if (content instanceof StagedChunks) await content.take(on);
  return "written";
}

/** Returns the values of `content` and `blob_no`. */
function contentColumns(content: Uint8Array | StagedBlob): [PostgresValue, PostgresValue] {
  if (content instanceof Uint8Array) return [content, null];
  if (content instanceof StagedChunks) return [null, content.blobNo];
  throw new ArtifactStoreError("unavailable", "These bytes were staged by another store.");
}

async function repair(
  on: PostgresSession,
  { record, content, now }: { record: BlobRecord; content: Uint8Array | StagedBlob; now: number },
): Promise<void> {
  const { artifactId, sizeBytes, chunkHashes } = record;
  const [before] = await on.query(
    "SELECT blob_no FROM ccl_artifact_blobs WHERE artifact_id = $1 FOR UPDATE",
    [artifactId],
  );
  if (before === undefined) return;
  await on.query(
    `UPDATE ccl_artifact_blobs SET size_bytes = $2, chunk_hashes = $3, content = $4, blob_no = $5,
       touched_at = greatest(touched_at, $6), is_quarantined = false WHERE artifact_id = $1`,
    [artifactId, sizeBytes, chunkHashes, ...contentColumns(content), now],
  );
  if (content instanceof StagedChunks) await content.take(on);
  const blobNo = before["blob_no"];
  if (typeof blobNo === "number")
    await on.query("DELETE FROM ccl_artifact_chunks WHERE blob_no = $1", [blobNo]);
}

async function find(session: PostgresSession, artifactId: string): Promise<StoredBlob | undefined> {
  const [row] = await session.query(
    `SELECT size_bytes, chunk_hashes, content, blob_no, is_quarantined FROM ccl_artifact_blobs
     WHERE artifact_id = $1 AND EXISTS (SELECT 1 FROM ccl_artifact_handles WHERE artifact_id = $1)`,
    [artifactId],
  );
  if (row === undefined) return undefined;
  const bytes = bytesIn(row, "content");
  const chunkHashes = bytesIn(row, "chunk_hashes") ?? new Uint8Array();
  return {
    record: { artifactId, sizeBytes: numberIn(row, "size_bytes"), chunkHashes },
    isQuarantined: row["is_quarantined"] === true,
    bytes,
    async *read(firstChunk, endChunk) {
      if (bytes !== undefined) {
        if (firstChunk === 0) yield bytes;
        return;
      }
      for (let chunk = firstChunk; chunk < endChunk; chunk += 1) {
        const [found] = await session.query(
          "SELECT content FROM ccl_artifact_chunks WHERE blob_no = $1 AND chunk_no = $2",
          [numberIn(row, "blob_no"), chunk],
        );
        const piece = found === undefined ? undefined : bytesIn(found, "content");
        if (piece === undefined) return;
        yield piece;
      }
    },
  };
}

async function listHandles(
  session: PostgresSession,
  options: DriverListOptions,
): Promise<FoundHandle[]> {
  const { sessionId, source, after, limit } = options;
  const parameters: PostgresValue[] = [after?.handleId ?? "", after?.artifactId ?? "", limit];
  const conditions = ["(handle_id, artifact_id) > ($1, $2)"];
  for (const [column, value] of [
    ["session_id", sessionId],
    ["source", source],
  ] as const) {
    if (value !== undefined) conditions.push(`${column} = $${parameters.push(value)}`);
  }
  const rows = await session.query(
    `SELECT ${handleColumns} FROM ccl_artifact_handles WHERE ${conditions.join(" AND ")}
     ORDER BY handle_id, artifact_id LIMIT $3`,
    parameters,
  );
  return rows.map(handleOfRow);
}

async function removeHandles(
  on: PostgresSession,
  match: {
    artifactId: string;
    handleId?: string | undefined;
    sessionId?: string | undefined;
    now: number;
  },
): Promise<number> {
  const { artifactId, handleId = null, sessionId = null, now } = match;
  if ((await lockBlobs(on, [artifactId])).length === 0) return 0;
  const removed = await on.query(
    `DELETE FROM ccl_artifact_handles WHERE artifact_id = $1 AND ($2::text IS NULL OR handle_id = $2)
       AND ($3::text IS NULL OR session_id = $3) RETURNING handle_id`,
    [artifactId, handleId, sessionId],
  );
  if (removed.length > 0) {
    const touch =
      "UPDATE ccl_artifact_blobs SET touched_at = greatest(touched_at, $2) WHERE artifact_id = $1";
    await on.query(touch, [artifactId, now]);
  }
  return removed.length;
}
