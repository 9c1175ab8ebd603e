import { ArtifactStoreError, type StoreLimits } from "@ccl/artifact-store";
import type { BlobPut } from "@ccl/artifact-store/driver";
import type { PostgresSession } from "@ccl/sql";
import { freeUnreferenced } from "./free-blobs.ts";
import { numberIn, textIn } from "./handle-rows.ts";

/** True when commits have to be weighed against what is there. */
export function hasSharedLimits({ maxSessionBytes, maxStoreBytes }: StoreLimits): boolean {
  return maxSessionBytes !== undefined || maxStoreBytes !== undefined;
}

/** Any number that no other lock of the database uses: the first bytes of SHA-256 of "ccl artifact limits". */
const lockNumber = 7_345_612_093;
const pageSize = 200;

/**
 * Makes room for what the transaction has written, or refuses it. Stores with limits take turns at this, so that two
 * puts can't both take the last room.
 * @throws ArtifactStoreError `limit_exceeded`; the caller undoes the transaction
 */
export async function fitLimits(
  transaction: PostgresSession,
  puts: readonly BlobPut[],
  limits: StoreLimits,
): Promise<void> {
  const { maxSessionBytes, maxStoreBytes, whenFull = "reject" } = limits;
  const isEvicting = whenFull === "evict";
  const own = JSON.stringify(puts.map(({ record }) => record.artifactId));
  if (maxSessionBytes !== undefined) {
    const sessionIds = new Set(puts.flatMap(({ handles }) => handles.flatMap(({ sessionId }) => sessionId ?? [])));
    for (const sessionId of sessionIds) {
      await fit(sessionScope(transaction, sessionId, own), { maxBytes: maxSessionBytes, isEvicting });
    }
  }
  if (maxStoreBytes !== undefined) await fit(storeScope(transaction, own), { maxBytes: maxStoreBytes, isEvicting });
}

/** Waits for the commits of other stores with limits; held to the end of the transaction. */
export async function lockLimits(transaction: PostgresSession): Promise<void> {
  await transaction.query("SELECT pg_advisory_xact_lock($1::bigint)", [lockNumber]);
}

/** What a limit counts, and what may go for it. */
interface Scope {
  name: string;
  countBytes(): Promise<number>;
  /** Removes some of what may go, oldest first; false when nothing is left. */
  evictSome(excessBytes: number): Promise<boolean>;
}

async function fit(scope: Scope, { maxBytes, isEvicting }: { maxBytes: number; isEvicting: boolean }): Promise<void> {
  for (;;) {
    const bytes = await scope.countBytes();
    if (bytes <= maxBytes) return;
    if (isEvicting && (await scope.evictSome(bytes - maxBytes))) continue;
    const message = `${scope.name} would hold ${bytes} bytes, and its limit is ${maxBytes}; nothing was stored.`;
    throw new ArtifactStoreError("limit_exceeded", message, { details: { maxBytes } });
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
      evictHandles(transaction, { excessBytes, own, where: "session_id = $3", parameters: [sessionId] }),
  };
}

function storeScope(transaction: PostgresSession, own: string): Scope {
  return {
    name: "The store",
    countBytes: () =>
      sumOf(transaction, "SELECT coalesce(sum(size_bytes), 0)::bigint AS bytes FROM ccl_artifact_blobs", []),
    async evictSome(excessBytes) {
      const unreferenced = await transaction.query(
        `SELECT artifact_id, size_bytes FROM ccl_artifact_blobs blob
         WHERE NOT EXISTS (SELECT 1 FROM ccl_artifact_handles handle WHERE handle.artifact_id = blob.artifact_id)
         ORDER BY touched_at, artifact_id LIMIT ${pageSize}`,
      );
      const enough = untilEnough(
        unreferenced.map((row) => ({ id: textIn(row, "artifact_id"), bytes: numberIn(row, "size_bytes") })),
        excessBytes,
      );
      if ((await freeUnreferenced(transaction, enough)).length > 0) return true;
      return evictHandles(transaction, { excessBytes, own, where: "true", parameters: [] });
    },
  };
}

interface HandleEviction {
  excessBytes: number;
  own: string;
  /** Which handles may go; their own artifacts never do. */
  where: string;
  parameters: string[];
}

/** The oldest handles, no more than it takes should each be the last of its blob; then blobs without any. */
async function evictHandles(
  transaction: PostgresSession,
  { excessBytes, own, where, parameters }: HandleEviction,
): Promise<boolean> {
  const rows = await transaction.query(
    `SELECT handle_id, artifact_id, size_bytes FROM ccl_artifact_handles
     WHERE ${where} AND artifact_id NOT IN (SELECT jsonb_array_elements_text($1::jsonb))
     ORDER BY handle_id LIMIT $2`,
    [own, pageSize, ...parameters],
  );
  const oldest = rows.map((row) => ({ id: textIn(row, "handle_id"), bytes: numberIn(row, "size_bytes") }));
  const going = untilEnough(oldest, excessBytes);
  if (going.length === 0) return false;
  const removed = await transaction.query(
    `DELETE FROM ccl_artifact_handles WHERE handle_id IN (SELECT jsonb_array_elements_text($1::jsonb))
       AND artifact_id NOT IN (SELECT jsonb_array_elements_text($2::jsonb)) RETURNING artifact_id`,
    [JSON.stringify(going), own],
  );
  await freeUnreferenced(transaction, [...new Set(removed.map((row) => textIn(row, "artifact_id")))]);
  return true;
}

/** The first ids whose bytes together reach the excess. */
function untilEnough(items: readonly { id: string; bytes: number }[], excessBytes: number): string[] {
  const ids: string[] = [];
  let bytes = 0;
  for (const item of items) {
    if (bytes >= excessBytes) break;
    ids.push(item.id);
    bytes += item.bytes;
  }
  return ids;
}

async function sumOf(transaction: PostgresSession, text: string, parameters: string[]): Promise<number> {
  const [row] = await transaction.query(text, parameters);
  return row === undefined ? 0 : numberIn(row, "bytes");
}
