import type { StoreLimits } from "@ccl/artifact-store";
import { requireFit, type BlobPut, type CommitOutcome } from "@ccl/artifact-store/driver";
import { type PostgresSession, numberIn, textIn } from "@ccl/sql";
import { freeUnreferenced, lockBlobs } from "./free-blobs.ts";

/** A number that no other lock of the database uses: the first bytes of SHA-256 of "ccl artifact limits". */
const lockNumber = 7_345_612_093;
const pageSize = 200;

/** The limited sums that a commit adds bytes to. */
export interface Growth {
  ofStore: boolean;
  /** Sessions that get their first handle of an artifact. */
  sessionIds: ReadonlySet<string>;
}

/** Must be called while the blobs are put and locked, before their handles are added. */
export async function growthOf(
  transaction: PostgresSession,
  {
    puts,
    outcomes,
    limits,
  }: { puts: readonly BlobPut[]; outcomes: readonly CommitOutcome[]; limits: StoreLimits },
): Promise<Growth> {
  const ofStore = puts.some(
    ({ record }, index) => outcomes[index] === "written" && record.sizeBytes > 0,
  );
  const joined = puts.flatMap(({ record, handles }) =>
    handles.flatMap(({ sessionId }) =>
      sessionId === undefined || record.sizeBytes === 0
        ? []
        : { sessionId, artifactId: record.artifactId },
    ),
  );
  if (limits.maxSessionBytes === undefined || joined.length === 0)
    return { ofStore, sessionIds: new Set() };
  const rows = await transaction.query(
    `SELECT DISTINCT "sessionId" AS session_id FROM jsonb_to_recordset($1::jsonb) AS new("sessionId" text, "artifactId" text)
     WHERE NOT EXISTS (SELECT 1 FROM ccl_artifact_handles WHERE artifact_id = "artifactId" AND session_id = "sessionId")`,
    [JSON.stringify(joined)],
  );
  return { ofStore, sessionIds: new Set(rows.map((row) => textIn(row, "session_id"))) };
}

/**
 * Makes room for what the transaction has written where that made a sum grow, or rejects it. Stores with limits do this
 * one at a time, so that two puts cannot both use the last room.
 * @throws ArtifactStoreError `limit_exceeded`, after which the caller rolls the transaction back
 */
export async function fitLimits(
  transaction: PostgresSession,
  { puts, growth, limits }: { puts: readonly BlobPut[]; growth: Growth; limits: StoreLimits },
): Promise<void> {
  const { maxSessionBytes, maxStoreBytes, whenFull = "reject" } = limits;
  const isEvicting = whenFull === "evict";
  const own = JSON.stringify(puts.map(({ record }) => record.artifactId));
  if (maxSessionBytes !== undefined) {
    for (const sessionId of growth.sessionIds) {
      await fit(sessionScope(transaction, sessionId, own), {
        maxBytes: maxSessionBytes,
        isEvicting,
      });
    }
  }
  if (maxStoreBytes === undefined || !growth.ofStore) return;
  await fit(storeScope(transaction, own), { maxBytes: maxStoreBytes, isEvicting });
}

/** Waits for the commits of other stores with limits. Held until the transaction ends. */
export async function lockLimits(transaction: PostgresSession): Promise<void> {
  await transaction.query("SELECT pg_advisory_xact_lock($1::bigint)", [lockNumber]);
}

/** What a limit counts, and what may be evicted for it. */
interface Scope {
  name: string;
  countBytes(): Promise<number>;
  /** Removes some of what may be evicted, oldest first. False when nothing is left. */
  evictSome(excessBytes: number): Promise<boolean>;
}

/**
 * How often a put that found nothing to evict counts again, since a concurrent deletion or collection may have freed
 * enough.
 */
const maxRecounts = 2;

async function fit(
  scope: Scope,
  { maxBytes, isEvicting }: { maxBytes: number; isEvicting: boolean },
): Promise<void> {
  for (let recounts = 0; ;) {
    const bytes = await scope.countBytes();
    if (bytes <= maxBytes) return;
    if (isEvicting && ((await scope.evictSome(bytes - maxBytes)) || recounts++ < maxRecounts))
      continue;
    requireFit(scope.name, bytes, maxBytes);
  }
}

function sessionScope(transaction: PostgresSession, sessionId: string, own: string): Scope {
  return {
    name: "The session",
    countBytes: async () =>
      sumOf(
        transaction,
        `SELECT coalesce(sum(size_bytes), 0)::bigint AS bytes FROM ccl_artifact_blobs WHERE artifact_id IN
           (SELECT artifact_id FROM ccl_artifact_handles WHERE session_id = $1)`,
        [sessionId],
      ),
    evictSome: (excessBytes) =>
      evictHandles(transaction, {
        excessBytes,
        own,
        where: "session_id = $3",
        parameters: [sessionId],
      }),
  };
}

function storeScope(transaction: PostgresSession, own: string): Scope {
  return {
    name: "The store",
    countBytes: () =>
      sumOf(
        transaction,
        "SELECT coalesce(sum(size_bytes), 0)::bigint AS bytes FROM ccl_artifact_blobs",
        [],
      ),
    async evictSome(excessBytes) {
      const rows = await transaction.query(
        untilEnough(
          `SELECT artifact_id, touched_at, size_bytes FROM ccl_artifact_blobs blob
           WHERE NOT EXISTS (SELECT 1 FROM ccl_artifact_handles handle WHERE handle.artifact_id = blob.artifact_id)`,
          "touched_at, artifact_id",
        ),
        [excessBytes],
      );
      const ids = rows.map((row) => textIn(row, "artifact_id"));
      if (ids.length > 0 && (await freeUnreferenced(transaction, ids)).length > 0) return true;
      return evictHandles(transaction, { excessBytes, own, where: "true", parameters: [] });
    },
  };
}

interface HandleEviction {
  excessBytes: number;
  own: string;
  /** SQL that selects the handles that may be evicted, never those of the put's own artifacts. */
  where: string;
  parameters: string[];
}

/**
 * Evicts the oldest handles, only as many as are needed if each is the last of its blob, then blobs without handles.
 */
async function evictHandles(
  transaction: PostgresSession,
  { excessBytes, own, where, parameters }: HandleEviction,
): Promise<boolean> {
  const rows = await transaction.query(
    untilEnough(
      `SELECT handle_id, artifact_id, size_bytes FROM ccl_artifact_handles
       WHERE ${where} AND artifact_id NOT IN (SELECT jsonb_array_elements_text($2::jsonb))`,
      "handle_id, artifact_id",
    ),
    [excessBytes, own, ...parameters],
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

/** SQL of the first rows in the order whose bytes together reach `$1`. */
function untilEnough(select: string, order: string): string {
  return `SELECT * FROM (
      SELECT *, sum(oldest.size_bytes) OVER (ORDER BY ${order}) - oldest.size_bytes AS before
      FROM (${select} ORDER BY ${order} LIMIT ${pageSize}) oldest
    ) summed WHERE before < $1::bigint ORDER BY ${order}`;
}

async function sumOf(
  transaction: PostgresSession,
  text: string,
  parameters: string[],
): Promise<number> {
  const [row] = await transaction.query(text, parameters);
  return row === undefined ? 0 : numberIn(row, "bytes");
}
