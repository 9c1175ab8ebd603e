import type { PostgresClient, SqliteDatabase } from "@ccl/sql";

import type { KeyValue } from "./key-value/key-value.ts";
import { createRecords } from "./records/create-records.ts";
import type { Records, RecordsCall } from "./records/records.ts";
import { RecordsError, recordsErrorOf } from "./records-error.ts";
import { openSqlKeyValue } from "./sql/sql-key-value.ts";

/** Where to keep records. */
export type RecordsPlace =
  /** A database that `openSqlite` of @ccl/sql returned. It is not closed. */
  | { sqlite: SqliteDatabase }
  /** A pool or client of pg, or a PGlite. It is not closed. */
  | { postgres: PostgresClient }
  /** Your own database. Closing the records closes it. */
  | { keyValue: KeyValue };

/**
 * Opens records in a database, in the table `ccl_records`, which is created if missing.
 * @throws RecordsError
 */
export async function openRecords(
  place: RecordsPlace,
  { signal }: RecordsCall = {},
): Promise<Records> {
  return createRecords(await openKeyValue(place, signal));
}

/** Opens the key-value database for a place. */
export async function openKeyValue(
  place: RecordsPlace,
  signal: AbortSignal | undefined,
): Promise<KeyValue> {
  if ("keyValue" in place) return place.keyValue;
  const target = "sqlite" in place ? place.sqlite : place.postgres;
  if (typeof target !== "object" || target === null || !("query" in target || "exec" in target))
    throw new RecordsError(
      "invalid_options",
      "Give { sqlite } with an open database, { postgres } with a client, or { keyValue }. To open a path or a folder, use openRecords of @ccl/records/node.",
    );
  try {
    return await openSqlKeyValue(target, signal);
  } catch (error) {
    throw recordsErrorOf(error);
  }
}
