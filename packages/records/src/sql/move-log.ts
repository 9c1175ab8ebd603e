import { sha256Hex } from "@ccl/core";
import { insertRows, numberIn, type SqlRow, type SqlSteps, textIn } from "@ccl/sql";

import { entryKey, keyOf } from "../records/stored-key.ts";
import { noSum, sealed, sumOf } from "../records/stored-text.ts";

const insert = "INSERT INTO ccl_records (key, value) VALUES ROWS";

/** JSON from an earlier version. A damaged value gets no valid checksum, so reading it fails. */
interface FormerJson {
  json: string;
  isWhole: boolean;
}

/** Returns the columns `json` and `sha256` of a row. */
export function jsonOfRow(row: SqlRow): FormerJson {
  const json = textIn(row, "json");
  return { json, isWhole: sha256Hex(json) === textIn(row, "sha256") };
}

/** Writes a log's entries and its head. Leaves positions without an entry missing. */
export function* moveLog(
  name: string,
  version: number,
  entries: readonly (FormerJson & { position: number })[],
): SqlSteps<void> {
  let last = noSum;
  const rows = entries.map(({ position, json, isWhole }) => {
    const key = entryKey(name, position);
    const text = isWhole ? sealed(key, `${last} ${json}`) : `${noSum} ${last} ${json}`;
    last = sumOf(text);
    return [key, text];
  });
  const key = keyOf("log", name);
  yield* insertRows(insert, [...rows, [key, sealed(key, `${version} ${last}`)]]);
}

/** Like `moveLog`, but for rows with a `position`, in that order. */
export function* moveLogRows(
  name: string,
  version: number,
  rows: readonly SqlRow[],
): SqlSteps<void> {
  const entries = rows.map((row) => ({ ...jsonOfRow(row), position: numberIn(row, "position") }));
  yield* moveLog(name, version, entries);
}

/** Writes records, with version 1 unless specified. */
export function* moveRecords(
  records: readonly (FormerJson & { name: string; version?: number })[],
): SqlSteps<void> {
  const rows = records.map(({ name, version = 1, json, isWhole }) => {
    const key = keyOf("record", name);
    return [key, isWhole ? sealed(key, `${version} ${json}`) : `${noSum} ${version} ${json}`];
  });
  yield* insertRows(insert, rows);
}
