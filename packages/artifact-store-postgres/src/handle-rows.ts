import { ArtifactStoreError, type ArtifactHandle } from "@ccl/artifact-store";
import type { PostgresRow, PostgresSession } from "@ccl/sql";

/** The columns that `handleOf` reads. */
export const handleColumns =
  "handle_id, artifact_id, session_id, source, summary, mime_type, size_bytes, created_at";

/** A handle of a row. */
export function handleOf(row: PostgresRow): ArtifactHandle {
  const sessionId = row["session_id"];
  return {
    handleId: textIn(row, "handle_id"),
    artifactId: textIn(row, "artifact_id"),
    summary: textIn(row, "summary"),
    sizeBytes: numberIn(row, "size_bytes"),
    mimeType: textIn(row, "mime_type"),
    createdAt: numberIn(row, "created_at"),
    source: textIn(row, "source"),
    sessionId: typeof sessionId === "string" ? sessionId : undefined,
  };
}

/** Adds handles whose blobs are there; those that are there already stay. One statement, whatever their number. */
export async function insertHandles(
  session: PostgresSession,
  handles: readonly ArtifactHandle[],
): Promise<void> {
  // As one JSON document: arrays are written differently by the clients.
  await session.query(
    `INSERT INTO ccl_artifact_handles (${handleColumns})
     SELECT "handleId", "artifactId", "sessionId", source, summary, "mimeType", "sizeBytes", "createdAt"
     FROM jsonb_to_recordset($1::jsonb) AS handle("handleId" text, "artifactId" text, "sessionId" text, source text,
       summary text, "mimeType" text, "sizeBytes" bigint, "createdAt" bigint)
     ON CONFLICT DO NOTHING`,
    [JSON.stringify(handles)],
  );
}

/** The text of a column. */
export function textIn(row: PostgresRow, column: string): string {
  const value = row[column];
  if (typeof value === "string") return value;
  throw unexpected(column, value);
}

/** The number of a column. */
export function numberIn(row: PostgresRow, column: string): number {
  const value = row[column];
  if (typeof value === "number") return value;
  throw unexpected(column, value);
}

/** The bytes of a column; undefined for null. */
export function bytesIn(row: PostgresRow, column: string): Uint8Array | undefined {
  const value = row[column];
  if (value === null) return undefined;
  if (value instanceof Uint8Array) return value;
  throw unexpected(column, value);
}

function unexpected(column: string, value: unknown): ArtifactStoreError {
  const message = `PostgreSQL gave a ${typeof value} for the column ${column}; leave the client's type parsers as they are.`;
  return new ArtifactStoreError("store_failed", message);
}
