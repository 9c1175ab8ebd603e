import { sha256Hex } from "@ccl/core";
import { insertRows, numberIn, type SqlRow, type SqlSteps, textIn } from "@ccl/sql";

import { entryKey, keyOf } from "../records/stored-key.ts";
import { noSum, sealed, sumOf } from "../records/stored-text.ts";

const insert = "INSERT INTO ccl_records (key, value) VALUES ROWS";

type FormerRow = [key: string, value: string];

/** JSON from an earlier version. A damaged value gets no valid checksum, so reading it fails. */
interface FormerJson {
  json: string;
  /** True by default. */
  isWhole?: boolean | undefined;
}

/** An entry of a log. Its position is its place in the list by default. */
interface FormerEntry extends FormerJson {
  position?: number | undefined;
}

/** Returns the columns `json` and `sha256` of a row. */
export function jsonOfRow(row: SqlRow): FormerJson {
  const json = textIn(row, "json");
  return { json, isWhole: sha256Hex(json) === textIn(row, "sha256") };
}

/** Writes a log. Leaves positions without an entry missing. */
export function* moveLog(
  name: string,
  entries: readonly FormerEntry[],
  version?: number | undefined,
): SqlSteps<void> {
  yield* insertRows(insert, logRows(name, entries, version));
}

/** Returns the rows of a log's entries and of its head. */
export function logRows(
  name: string,
  entries: readonly FormerEntry[],
  version: number = entries.length,
): FormerRow[] {
  let last = noSum;
  const rows = entries.map(({ json, isWhole = true, position }, place): FormerRow => {
    const key = entryKey(name, position ?? place);
    const text = isWhole ? sealed(key, `${last} ${json}`) : `${noSum} ${last} ${json}`;
    last = sumOf(text);
    return [key, text];
  });
  const key = keyOf("log", name);
  return [...rows, [key, sealed(key, `${version} ${last}`)]];
}

/** Like `moveLog`, but for rows with a `position`, in that order. */
export function* moveLogRows(
  name: string,
  version: number,
  rows: readonly SqlRow[],
): SqlSteps<void> {
  const entries = rows.map((row) => ({ ...jsonOfRow(row), position: numberIn(row, "position") }));
  yield* moveLog(name, entries, version);
}

/** Writes records. */
export function* moveRecords(records: readonly FormerRecord[]): SqlSteps<void> {
  yield* insertRows(insert, records.map(recordRow));
}

/** A record from an earlier version. Its version is 1 by default. */
interface FormerRecord extends FormerJson {
  name: string;
  version?: number | undefined;
}

/** Returns the row of a record. */
export function recordRow({ name, version = 1, json, isWhole = true }: FormerRecord): FormerRow {
  const key = keyOf("record", name);
  return [key, isWhole ? sealed(key, `${version} ${json}`) : `${noSum} ${version} ${json}`];
}
