import { openSqlite } from "@ccl/sql/node";

import type { KeyValue } from "../key-value/key-value.ts";
import { openKeyValue } from "../open-records.ts";
import type { RecordsCall } from "../records/records.ts";
import { recordsErrorOf } from "../records-error.ts";
import { copyWhole, type SalvageReport } from "../salvage/copy-whole.ts";
import { readWholeRows } from "../salvage/read-whole-rows.ts";
import { openFolderKeyValue } from "./open-folder-key-value.ts";
import { type NodeRecordsPlace, openPlace } from "./open-records.ts";

/**
 * Copies everything intact in a damaged store to an empty one, and reports what was lost. The damaged store is not
 * changed. If the report has no `lost` entries, the store was intact.
 * @throws RecordsError
 */
export async function salvageRecords(
  { from, to }: { from: NodeRecordsPlace; to: NodeRecordsPlace },
  { signal }: RecordsCall = {},
): Promise<SalvageReport> {
  const lost: string[] = [];
  const opened: KeyValue[] = [];
  try {
    const source = await openDamaged(from, lost, signal);
    opened.push(source);
    const target = await openPlace(to, signal);
    opened.push(target);
    return await copyWhole(source, target, lost);
  } catch (error) {
    throw recordsErrorOf(error);
  } finally {
    for (const database of opened) await database.close?.();
  }
}

async function openDamaged(
  place: NodeRecordsPlace,
  lost: string[],
  signal: AbortSignal | undefined,
): Promise<KeyValue> {
  if ("folder" in place)
    return openFolderKeyValue(place.folder, { durability: "off", damage: lost });
  if (!("sqlite" in place)) return openKeyValue(place, signal);
  if ("prepare" in place.sqlite) return readWholeRows(place.sqlite, lost);
  const database = await openSqlite({ path: place.sqlite.path, readOnly: true, signal });
  try {
    return await readWholeRows(database, lost);
  } finally {
    database.close();
  }
}
