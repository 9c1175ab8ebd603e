import { sha256Hex } from "@ccl/core";
import { toBase64 } from "@ccl/core/json";
import {
  bytesIn,
  numberIn,
  rowsOf,
  type SqlRow,
  type SqlSteps,
  textIn,
  textOfSortKey,
} from "@ccl/sql";

import { jsonOfRow, moveLogRows, moveRecords } from "./move-log.ts";

/** Longer ids end with their hash, as written by @ccl/catalog. */
const longestId = 200;

/** Migrates a catalogue: a record per resource, a log of its history, and a record per vector. */
export function* moveCatalog(): SqlSteps<void> {
  const resources = yield* rowsOf(
    "SELECT id_key, record AS json, sha256 FROM ccl_catalog_resources WHERE record IS NOT NULL",
  );
  yield* moveRecords(
    resources.map((row) => ({ name: `catalog/resource/${nameIn(row)}`, ...jsonOfRow(row) })),
  );
  const histories =
    "SELECT id_key, max(position) AS version FROM ccl_catalog_history GROUP BY id_key";
  for (const row of yield* rowsOf(histories)) {
    const select = `SELECT position - 1 AS position, entry AS json, sha256 FROM ccl_catalog_history
      WHERE id_key = ? ORDER BY position`;
    const entries = yield* rowsOf(select, textIn(row, "id_key"));
    yield* moveLogRows(`catalog/history/${nameIn(row)}`, numberIn(row, "version"), entries);
  }
  const vectors = yield* rowsOf("SELECT embedder_key, hash_key, vector FROM ccl_catalog_vectors");
  yield* moveRecords(
    vectors.map((row) => {
      const space = sha256Hex(textOfSortKey(textIn(row, "embedder_key"))).slice(0, 32);
      const name = `catalog/vector/${space}/${textOfSortKey(textIn(row, "hash_key"))}`;
      const json = JSON.stringify(toBase64(bytesIn(row, "vector") ?? new Uint8Array()));
      return { name, json, isWhole: true };
    }),
  );
}

function nameIn(row: SqlRow): string {
  const id = textOfSortKey(textIn(row, "id_key"));
  return id.length <= longestId ? id : id.slice(0, longestId) + sha256Hex(id);
}
