import type { StoreLimits } from "@ccl/artifact-store";
import { requireFit, type BlobPut, type CommitOutcome } from "@ccl/artifact-store/driver";
import { type PostgresSession, numberIn, textIn } from "@ccl/sql";
import { freeUnreferenced, lockBlobs } from "./free-blobs.ts";

/** A number that no other lock of the database uses: the first bytes of SHA-256 of "ccl artifact limits". */
const lockNumber = 7_345_612_093;
const pageSize = 200;
/**
 * Number of times that a put that finds nothing to evict counts again, since a concurrent deletion or collection may
 * have freed enough.
 */
const maxRecounts = 2;

/** A sum that is limited: of a session, or of the whole store. */
interface Scope {
  name: string;
  maxBytes: number;
  sessionId: string | undefined;
}

/**
 * Finds the limited sums that a commit adds to: the sessions that get their first handle to an artifact, and the store.
 * Must be called once the blobs are put and locked, but before their handles are added.
 */
export async function grownScopes(
  transaction: PostgresSession,
  {
    puts,
    outcomes,
    limits: { maxSessionBytes, maxStoreBytes },
  }: { puts: readonly BlobPut[]; outcomes: readonly CommitOutcome[]; limits: StoreLimits },
): Promise<Scope[]> {
  const scopes: Scope[] = [];
  const joined = puts.flatMap(({ record, handles }) =>
    handles.flatMap(({ sessionId }) =>
      sessionId === undefined || record.sizeBytes === 0
        ? []
        : { sessionId, artifactId: record.artifactId },
    ),
  );
  if (maxSessionBytes !== undefined && joined.length > 0) {
    const rows = await transaction.query(
      `SELECT DISTINCT "sessionId" AS session_id FROM jsonb_to_recordset($1::jsonb) AS new("sessionId" text, "artifactId" text)
       WHERE NOT EXISTS (SELECT 1 FROM ccl_artifact_handles WHERE artifact_id = "artifactId" AND session_id = "sessionId")`,
      [JSON.stringify(joined)],
    );
    for (const row of rows) {
      const sessionId = textIn(row, "session_id");
      scopes.push({ name: "The session", maxBytes: maxSessionBytes, sessionId });
    }
  }
  const isLarger = puts.some(
    ({ record }, index) => outcomes[index] === "written" && record.sizeBytes > 0,
  );
  if (maxStoreBytes !== undefined && isLarger)
    scopes.push({ name: "The store", maxBytes: maxStoreBytes, sessionId: undefined });
  return scopes;
}

/**
 * Makes room in each sum that the transaction increased, or rejects the put. Stores with limits do this one at a time,
 * so that two puts cannot both use the remaining space.
 * @throws ArtifactStoreError `limit_exceeded`. The caller then rolls the transaction back
 */
export async function fitLimits(
  transaction: PostgresSession,
  scopes: readonly Scope[],
  { puts, isEvicting }: { puts: readonly BlobPut[]; isEvicting: boolean },
): Promise<void> {
  const own = JSON.stringify(puts.map(({ record }) => record.artifactId));
  for (const scope of scopes) {
    for (let recounts = 0; ;) {
      const bytes = await countBytes(transaction, scope);
      if (bytes <= scope.maxBytes) break;
      const excess = { excessBytes: bytes - scope.maxBytes, own };
      const isRetried =
        isEvicting && ((await evictSome(transaction, scope, excess)) || recounts++ < maxRecounts);
      if (!isRetried) requireFit(scope.name, bytes, scope.maxBytes);
    }
  }
}

/** Waits for the commits of other stores with limits. The lock is held until the transaction ends. */
export async function lockLimits(transaction: PostgresSession): Promise<void> {
  await transaction.query("SELECT pg_advisory_xact_lock($1::bigint)", [lockNumber]);
}

async function countBytes(transaction: PostgresSession, { sessionId }: Scope): Promise<number> {
  const ofSession =
    "WHERE artifact_id IN (SELECT artifact_id FROM ccl_artifact_handles WHERE session_id = $1)";
  const [row] = await transaction.query(
    `SELECT coalesce(sum(size_bytes), 0)::bigint AS bytes FROM ccl_artifact_blobs ${sessionId === undefined ? "" : ofSession}`,
    sessionId === undefined ? [] : [sessionId],
  );
  return row === undefined ? 0 : numberIn(row, "bytes");
}

/**
 * Evicts the oldest handles, only as many as are needed if each is the last of its blob, then blobs without handles.
 * For the whole store, evicts blobs without handles first. False if nothing is left to evict.
 */
async function evictSome(
  transaction: PostgresSession,
  { sessionId }: Scope,
  { excessBytes, own }: { excessBytes: number; own: string },
): Promise<boolean> {
  if (sessionId === undefined) {
    const unused = await transaction.query(
      untilEnough(
        `SELECT artifact_id, touched_at, size_bytes FROM ccl_artifact_blobs blob
         WHERE NOT EXISTS (SELECT 1 FROM ccl_artifact_handles handle WHERE handle.artifact_id = blob.artifact_id)`,
        "touched_at, artifact_id",
      ),
      [excessBytes],
    );
    const ids = unused.map((row) => textIn(row, "artifact_id"));
    if (ids.length > 0 && (await freeUnreferenced(transaction, ids)).length > 0) return true;
  }
  // Never evicts handles of the put's own artifacts.
  const rows = await transaction.query(
    untilEnough(
      `SELECT handle_id, artifact_id, size_bytes FROM ccl_artifact_handles
       WHERE artifact_id NOT IN (SELECT jsonb_array_elements_text($2::jsonb)) AND ($3::text IS NULL OR session_id = $3)`,
      "handle_id, artifact_id",
    ),
    [excessBytes, own, sessionId ?? null],
  );
  const going = rows.map((row) => ({
    handleId: textIn(row, "handle_id"),
    artifactId: textIn(row, "artifact_id"),
  }));
  if (going.length === 0) return false;
  const locked = await lockBlobs(
    transaction,
    going.map(({ artifactId }) => artifactId),
  );
  const removable = going.filter(({ artifactId }) => locked.includes(artifactId));
  await transaction.query(
    `DELETE FROM ccl_artifact_handles WHERE (handle_id, artifact_id) IN
       (SELECT "handleId", "artifactId" FROM jsonb_to_recordset($1::jsonb) AS going("handleId" text, "artifactId" text))`,
    [JSON.stringify(removable)],
  );
  await freeUnreferenced(transaction, locked);
  return true;
}

/** Returns SQL for the first rows, in this order, whose total bytes reach `$1`. */
function untilEnough(select: string, order: string): string {
  return `SELECT * FROM (
      SELECT *, sum(oldest.size_bytes) OVER (ORDER BY ${order}) - oldest.size_bytes AS before
      FROM (${select} ORDER BY ${order} LIMIT ${pageSize}) oldest
    ) summed WHERE before < $1::bigint ORDER BY ${order}`;
}
