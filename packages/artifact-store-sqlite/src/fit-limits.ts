import type { StoreLimits } from "@ccl/artifact-store";
import { requireFit, sessionIdsOf, type BlobPut } from "@ccl/artifact-store/driver";
import type { SqliteDatabase, SqliteValue } from "@ccl/sql";
import { ensureSums } from "./schema.ts";
import { freeIfOrphaned } from "./free-blob.ts";

/** Evicts other blobs so that the given new ones fit. */
export type FitLimits = (blobIds: readonly number[]) => void;

/** What a limit counts, and what may be evicted to meet it. */
interface Scope {
  what: string;
  maxBytes: number;
  bytes: () => number;
  /** SQL that selects the handles that may be evicted. */
  where: string;
  parameters: SqliteValue[];
}

/**
 * Starts watching the limits. Must be called before the first put of a transaction, and the returned function after the
 * last. That function enforces the limits whose sums grew in between. It throws `limit_exceeded`, which rolls the puts
 * back.
 */
export function watchLimits(
  tx: SqliteDatabase,
  puts: readonly BlobPut[],
  limits: StoreLimits,
): FitLimits {
  const scopes = scopesOf(tx, puts, limits);
  if (scopes.length === 0) return () => undefined;
  ensureSums(tx);
  const before = scopes.map(({ bytes }) => bytes());
  return (blobIds) => {
    const grown = scopes.filter(({ bytes }, index) => bytes() > (before[index] ?? 0));
    const kept = JSON.stringify(blobIds);
    for (const scope of grown) fit(tx, scope, { kept, isEvicting: limits.whenFull === "evict" });
  };
}

/** Returns the scopes. Sessions come first, because evicting for them may also free space in the store. */
function scopesOf(
  tx: SqliteDatabase,
  puts: readonly BlobPut[],
  { maxSessionBytes, maxStoreBytes }: StoreLimits,
): Scope[] {
  const scopes: Scope[] = [];
  if (maxSessionBytes !== undefined) {
    for (const sessionId of sessionIdsOf(puts)) {
      const bytes = (): number =>
        read(tx, "SELECT bytes FROM artifact_sessions WHERE session_id = ?", [sessionId]);
      const own = { where: "session_id = ?", parameters: [sessionId] };
      scopes.push({ what: "The session", maxBytes: maxSessionBytes, bytes, ...own });
    }
  }
  if (maxStoreBytes === undefined) return scopes;
  const bytes = (): number => read(tx, "SELECT bytes FROM artifact_totals", []);
  return [
    ...scopes,
    { what: "The store", maxBytes: maxStoreBytes, bytes, where: "true", parameters: [] },
  ];
}

function fit(
  tx: SqliteDatabase,
  scope: Scope,
  { kept, isEvicting }: { kept: string; isEvicting: boolean },
): void {
  const { what, maxBytes, bytes, where, parameters } = scope;
  if (isEvicting && where === "true") freeOrphans(tx, scope, kept);
  const next = `SELECT handle_id, blob_id FROM artifact_handles
    WHERE ${where} AND blob_id NOT IN (SELECT value FROM json_each(?)) ORDER BY handle_id LIMIT 1`;
  while (bytes() > maxBytes) {
    const row = isEvicting ? tx.prepare(next).get(...parameters, kept) : undefined;
    if (row === undefined) return requireFit(what, bytes(), maxBytes);
    const blobId = Number(row["blob_id"]);
    tx.prepare("DELETE FROM artifact_handles WHERE handle_id = ? AND blob_id = ?").run(
      String(row["handle_id"]),
      blobId,
    );
    freeIfOrphaned(tx, blobId);
  }
}

function freeOrphans(tx: SqliteDatabase, { bytes, maxBytes }: Scope, kept: string): void {
  const next = `SELECT blob_id FROM artifact_orphans
    WHERE blob_id NOT IN (SELECT value FROM json_each(?)) ORDER BY orphaned_at LIMIT 1`;
  while (bytes() > maxBytes) {
    const row = tx.prepare(next).get(kept);
    if (row === undefined) return;
    freeIfOrphaned(tx, Number(row["blob_id"]));
  }
}

function read(tx: SqliteDatabase, sql: string, parameters: SqliteValue[]): number {
  return Number(tx.prepare(sql).get(...parameters)?.["bytes"] ?? 0);
}
