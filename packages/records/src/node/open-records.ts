import { stat } from "node:fs/promises";

import { sleep } from "@ccl/core/async";
import { type Durability, unless } from "@ccl/core/node";
import { openSqlite } from "@ccl/sql/node";

import type { KeyValue } from "../key-value/key-value.ts";
import { openKeyValue, type RecordsPlace } from "../open-records.ts";
import { createRecords } from "../records/create-records.ts";
import type { Records, RecordsCall } from "../records/records.ts";
import { damagedError } from "../records/stored-text.ts";
import { recordsErrorOf } from "../records-error.ts";
import { moveSessionFiles } from "./move-session-files.ts";
import { openFolderKeyValue } from "./open-folder-key-value.ts";

/** Where to keep records, including files on this machine. */
export type NodeRecordsPlace =
  | RecordsPlace
  /** A SQLite file. Created if missing, but its folder must exist. */
  | { sqlite: { path: string; durability?: Durability | undefined } }
  /** A folder. Created if missing. Defaults to `full`: an acknowledged write survives a power cut. */
  | { folder: string; durability?: Durability | undefined };

/**
 * Opens records in SQLite, in PostgreSQL, in a folder or in your own database.
 * @throws RecordsError
 */
export async function openRecords(
  place: NodeRecordsPlace,
  { signal }: RecordsCall = {},
): Promise<Records> {
  try {
    return createRecords(await openPlace(place, signal));
  } catch (error) {
    throw recordsErrorOf(error);
  }
}

/** Opens the key-value database for a place. */
export async function openPlace(
  place: NodeRecordsPlace,
  signal: AbortSignal | undefined,
): Promise<KeyValue> {
  if ("folder" in place) {
    const { folder, durability = "full" } = place;
    const database = await openFolderKeyValue(folder, { durability });
    await moveSessionFiles(folder, database);
    return database;
  }
  if (!("sqlite" in place)) return openKeyValue(place, signal);
  if (!("path" in place.sqlite)) return openKeyValue({ sqlite: place.sqlite }, signal);
  const { path, durability } = place.sqlite;
  const sizeOf = (): Promise<number | undefined> =>
    unless(
      ["ENOENT"],
      stat(path).then((found) => found.size),
      undefined,
    );
  let size = await sizeOf();
  // While another process opens a new file, the file is briefly empty.
  for (let waits = 0; size === 0 && waits < 20; waits += 1) {
    await sleep(25, signal);
    size = await sizeOf();
  }
  // SQLite would treat an empty file as a new database.
  if (size === 0)
    throw damagedError(`The file "${path}" is empty. Delete it to begin anew.`, { path });
  const database = await openSqlite({ path, durability, signal });
  try {
    const keyValue = await openKeyValue({ sqlite: database }, signal);
    return { ...keyValue, close: async () => database.close() };
  } catch (error) {
    database.close();
    throw error;
  }
}
