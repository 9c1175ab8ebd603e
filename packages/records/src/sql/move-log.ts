import { sha256Hex } from "@ccl/core";
import { insertRows, numberIn, rowsOf, type SqlSteps, textIn } from "@ccl/sql";

import { entryKey, keyOf } from "../records/stored-key.ts";
import { noSum, sealed, sumOf } from "../records/stored-text.ts";

const entriesAtOnce = 500;
const insert = "INSERT INTO ccl_records (key, value) VALUES ROWS";

/** The entries of a log, in a table of an earlier version. */
interface FormerLog {
  name: string;
  version: number;
  /** Gives `position`, `json` and `sha256` of the positions from one on that come before another. */
  select: string;
  /** What stands for the first `?` of the statement. */
  owner: string | number;
}

/** Writes a log's entries and its head. One that is damaged keeps no checksum that holds, so that reading it fails. */
export function* moveLog({ name, version, select, owner }: FormerLog): SqlSteps<void> {
  let last = noSum;
  for (let from = 0; from < version; from += entriesAtOnce) {
    const rows = yield* rowsOf(select, owner, from, from + entriesAtOnce);
    rows.sort((one, other) => numberIn(one, "position") - numberIn(other, "position"));
    const entries: [key: string, text: string][] = [];
    for (const row of rows) {
      const key = entryKey(name, numberIn(row, "position"));
      const json = textIn(row, "json");
      const isWhole = sha256Hex(json) === textIn(row, "sha256");
      const text = isWhole ? sealed(key, `${last} ${json}`) : `${noSum} ${last} ${json}`;
      entries.push([key, text]);
      last = sumOf(text);
    }
    yield* insertRows(insert, entries);
  }
  const key = keyOf("log", name);
  yield* insertRows(insert, [[key, sealed(key, `${version} ${last}`)]]);
}

/** Writes records of version 1. Reading one that is damaged fails. */
export function* moveRecords(
  records: readonly { name: string; json: string; isWhole: boolean }[],
): SqlSteps<void> {
  const rows = records.map(({ name, json, isWhole }) => {
    const key = keyOf("record", name);
    return [key, isWhole ? sealed(key, `1 ${json}`) : `${noSum} 1 ${json}`];
  });
  yield* insertRows(insert, rows);
}
