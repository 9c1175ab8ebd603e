import type { SqliteDatabase, SqliteRow } from "@ccl/sql";

import { createMemoryKeyValue } from "../key-value/create-memory-key-value.ts";
import type { KeyValue, KeyValueEntry } from "../key-value/key-value.ts";
import { recordsErrorOf } from "../records-error.ts";

const rowsAtOnce = 256;
/** Size of a gap in row numbers after which no further rows are expected. */
const maxGap = 10_000;

/** Reads the readable rows of a damaged SQLite file into an in-memory database. */
export async function readWholeRows(database: SqliteDatabase, lost: string[]): Promise<KeyValue> {
  const select = database.prepare(
    `SELECT rowid AS number, ${textOf("key")}, ${textOf("value")} FROM ccl_records
     WHERE rowid > ? ORDER BY rowid LIMIT ?`,
  );
  const writes: KeyValueEntry[] = [];
  let [number, size, gap] = [0, rowsAtOnce, 0];
  while (gap < maxGap) {
    const rows = rowsOrDamage(() => select.all(number, size));
    const last = Number(rows?.at(-1)?.["number"] ?? Infinity);
    // A damaged page may return rows out of order, in an endless loop.
    if (rows === undefined || last <= number) {
      if (size === 1) [number, gap] = [number + 1, gap + 1];
      size = 1;
      continue;
    }
    if (rows.length === 0) break;
    for (const row of rows) {
      const { key, value } = row;
      if (typeof key === "string" && typeof value === "string") writes.push([key, value]);
      else lost.push(`Row ${String(row["number"])} is not what was written.`);
    }
    number = last;
    if (gap > 0) lost.push(`${gap} row numbers before row ${number} can't be read.`);
    [size, gap] = [Math.min(size * 2, rowsAtOnce), 0];
  }
  if (gap > 0) lost.push(`No row behind row ${number - gap} can be read.`);
  for (const row of rowsOrDamage(() => database.prepare("PRAGMA integrity_check").all()) ?? []) {
    const problem = String(row["integrity_check"]);
    if (problem !== "ok") lost.push(`SQLite says: ${problem}.`);
  }
  const rows = createMemoryKeyValue();
  await rows.commit({ checks: [], writes });
  return rows;
}

/** Selects a text column. Null for bytes, because a damaged length causes drivers to request excessive memory. */
function textOf(column: string): string {
  return `CASE WHEN typeof(${column}) = 'text' THEN ${column} END AS ${column}`;
}

function rowsOrDamage(read: () => SqliteRow[]): SqliteRow[] | undefined {
  try {
    return read();
  } catch (error) {
    if (recordsErrorOf(error).code === "damaged") return undefined;
    throw error;
  }
}
