import { ArtifactStoreError, type StoreLimits } from "@ccl/artifact-store";
import type { BlobPut } from "@ccl/artifact-store/driver";
import type { SqliteDatabase, SqliteValue } from "@ccl/sql";
import { ensureSums } from "./schema.ts";
import { freeIfOrphaned } from "./free-blob.ts";

/** What was just put, within its transaction. */
export interface FitRequest {
  puts: readonly BlobPut[];
  /** The blobs of the puts, which stay whatever has to go. */
  blobIds: readonly number[];
  limits: StoreLimits;
}

/**
 * Makes room for what was just put, or throws, which undoes the put.
 * @throws ArtifactStoreError `limit_exceeded`
 */
export function fitLimits(tx: SqliteDatabase, { puts, blobIds, limits }: FitRequest): void {
  const { maxSessionBytes, maxStoreBytes, whenFull = "reject" } = limits;
  if (maxSessionBytes === undefined && maxStoreBytes === undefined) return;
  ensureSums(tx);
  const kept = JSON.stringify(blobIds);
  if (maxSessionBytes !== undefined) {
    const sessions = new Set(puts.flatMap((put) => put.handles.flatMap(({ sessionId }) => sessionId ?? [])));
    for (const sessionId of sessions) {
      const bytes = (): number => read(tx, "SELECT bytes FROM artifact_sessions WHERE session_id = ?", [sessionId]);
      const next = `SELECT handle_id, blob_id FROM artifact_handles
        WHERE session_id = ? AND blob_id NOT IN (SELECT value FROM json_each(?)) ORDER BY handle_id LIMIT 1`;
      fit(tx, { what: "The session", bytes, maxBytes: maxSessionBytes, whenFull, next, parameters: [sessionId, kept] });
    }
  }
  if (maxStoreBytes === undefined) return;
  const bytes = (): number => read(tx, "SELECT bytes FROM artifact_totals", []);
  if (whenFull === "evict") freeOrphans(tx, { bytes, maxBytes: maxStoreBytes, kept });
  const next = `SELECT handle_id, blob_id FROM artifact_handles
    WHERE blob_id NOT IN (SELECT value FROM json_each(?)) ORDER BY handle_id LIMIT 1`;
  fit(tx, { what: "The store", bytes, maxBytes: maxStoreBytes, whenFull, next, parameters: [kept] });
}

interface Fit {
  what: string;
  bytes: () => number;
  maxBytes: number;
  whenFull: "reject" | "evict";
  /** Selects the oldest handle that may go. */
  next: string;
  parameters: SqliteValue[];
}

function fit(tx: SqliteDatabase, { what, bytes, maxBytes, whenFull, next, parameters }: Fit): void {
  while (bytes() > maxBytes) {
    const row = whenFull === "evict" ? tx.prepare(next).get(...parameters) : undefined;
    if (row === undefined) throw limitExceeded(what, bytes(), maxBytes);
    const blobId = Number(row["blob_id"]);
    tx.prepare("DELETE FROM artifact_handles WHERE handle_id = ? AND blob_id = ?").run(
      String(row["handle_id"]),
      blobId,
    );
    freeIfOrphaned(tx, blobId);
  }
}

function freeOrphans(tx: SqliteDatabase, room: { bytes: () => number; maxBytes: number; kept: string }): void {
  const next = `SELECT blob_id FROM artifact_orphans
    WHERE blob_id NOT IN (SELECT value FROM json_each(?)) ORDER BY orphaned_at LIMIT 1`;
  while (room.bytes() > room.maxBytes) {
    const row = tx.prepare(next).get(room.kept);
    if (row === undefined) return;
    freeIfOrphaned(tx, Number(row["blob_id"]));
  }
}

function read(tx: SqliteDatabase, sql: string, parameters: SqliteValue[]): number {
  return Number(tx.prepare(sql).get(...parameters)?.["bytes"] ?? 0);
}

function limitExceeded(what: string, bytes: number, maxBytes: number): ArtifactStoreError {
  const message = `${what} would hold ${bytes} bytes, and its limit is ${maxBytes}; nothing was stored.`;
  return new ArtifactStoreError("limit_exceeded", message, { details: { maxBytes } });
}
