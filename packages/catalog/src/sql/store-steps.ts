import { insertRows, rowsOf, type SqlRow, type SqlSteps, sortKeyOf, textOfSortKey } from "@ccl/sql";
import { canonicalJson, sha256Hex } from "@ccl/core";

import { CatalogError } from "../catalog-error.ts";
import type { ResourceRecord } from "../record/resource-record.ts";
import type {
  ChangePage,
  HistoryEntry,
  HistoryPage,
  ResourcePage,
  ResourceWrite,
  StoredResource,
  VectorEntry,
} from "../store/catalog-store.ts";
import { conflictError } from "../store/store-input.ts";
import { bytesOfFloats, floatsOfBytes } from "./float-bytes.ts";
import { type SqlDialect } from "./sql-dialect.ts";

/** A write as it is kept: what a caller does to its record afterwards has no say. */
export interface PreparedWrite {
  id: string;
  expectedVersion: number;
  /** Null removes. */
  record: string | null;
  entry: string | undefined;
}

/** Writes as canonical JSON. @throws CatalogError `invalid_options` for what is no JSON */
export function prepareWrites(writes: readonly ResourceWrite[]): PreparedWrite[] {
  return writes.map(({ id, record, expectedVersion, entry }) => {
    try {
      return {
        id,
        expectedVersion,
        record: record === undefined ? null : canonicalJson(record),
        entry: entry === undefined ? undefined : canonicalJson(entry),
      };
    } catch (cause) {
      const message = `The record of ${JSON.stringify(id.slice(0, 80))} can't be written as JSON; see the cause.`;
      throw new CatalogError("invalid_options", message, { cause });
    }
  });
}

/** Writes a batch, or throws `conflict`. */
export function* writeResources(
  dialect: SqlDialect,
  writes: readonly PreparedWrite[],
): SqlSteps<number> {
  // Takes the lock that all writers take, so that versions appear in their order.
  const count =
    "UPDATE ccl_catalog_state SET version = version + ? WHERE only_row = 1 RETURNING version";
  const [state] = yield* rowsOf(count, writes.length);
  const last = Number(state?.["version"]);
  yield* requireVersions(dialect, writes);
  const rows = writes.map(({ id, record }, at) => {
    const version = last - writes.length + 1 + at;
    return [sortKeyOf(id), version, record, record === null ? null : sha256Hex(record)];
  });
  yield* insertRows(
    `INSERT INTO ccl_catalog_resources (id_key, version, record, sha256) VALUES ROWS
     ON CONFLICT (id_key) DO UPDATE SET version = excluded.version, record = excluded.record, sha256 = excluded.sha256`,
    rows,
  );
  yield* addEntries(dialect, writes);
  return last;
}

/** The version of the last write. */
export function* readVersion(): SqlSteps<number> {
  const [row] = yield* rowsOf("SELECT version FROM ccl_catalog_state");
  return Number(row?.["version"] ?? 0);
}

function* requireVersions(
  { inTexts }: SqlDialect,
  writes: readonly PreparedWrite[],
): SqlSteps<void> {
  const keys = JSON.stringify(writes.map(({ id }) => sortKeyOf(id)));
  const select = `SELECT id_key, version FROM ccl_catalog_resources WHERE record IS NOT NULL AND id_key ${inTexts}`;
  const found = yield* rowsOf(select, keys);
  const versions = new Map(found.map((row) => [row["id_key"], Number(row["version"])]));
  const late = writes.filter(
    ({ id, expectedVersion }) => (versions.get(sortKeyOf(id)) ?? 0) !== expectedVersion,
  );
  if (late.length > 0) throw conflictError(late.map(({ id }) => id));
}

function* addEntries({ inTexts }: SqlDialect, writes: readonly PreparedWrite[]): SqlSteps<void> {
  const added = writes.flatMap(({ id, entry }) =>
    entry === undefined ? [] : [{ key: sortKeyOf(id), entry }],
  );
  if (added.length === 0) return;
  const keys = JSON.stringify(added.map(({ key }) => key));
  const select = `SELECT id_key, max(position) AS position FROM ccl_catalog_history WHERE id_key ${inTexts} GROUP BY id_key`;
  const found = yield* rowsOf(select, keys);
  const positions = new Map(found.map((row) => [row["id_key"], Number(row["position"])]));
  const rows = added.map(({ key, entry }) => [
    key,
    (positions.get(key) ?? 0) + 1,
    entry,
    sha256Hex(entry),
  ]);
  yield* insertRows(
    "INSERT INTO ccl_catalog_history (id_key, position, entry, sha256) VALUES ROWS",
    rows,
  );
}

/** One answer an id. */
export function* readResources(
  { inTexts }: SqlDialect,
  ids: readonly string[],
): SqlSteps<(StoredResource | undefined)[]> {
  const select = `SELECT id_key, version, record, sha256 FROM ccl_catalog_resources
    WHERE record IS NOT NULL AND id_key ${inTexts}`;
  const rows = yield* rowsOf(select, JSON.stringify(ids.map(sortKeyOf)));
  const found = new Map(rows.map((row) => [row["id_key"], storedOf(row)]));
  return ids.map((id) => found.get(sortKeyOf(id)));
}

/** A page of records after an id. */
export function* listResources(cursor: string | undefined, size: number): SqlSteps<ResourcePage> {
  const select = `SELECT id_key, version, record, sha256 FROM ccl_catalog_resources
    WHERE record IS NOT NULL AND id_key ${cursor === undefined ? ">=" : ">"} ? ORDER BY id_key LIMIT ?`;
  const rows = yield* rowsOf(select, sortKeyOf(cursor ?? ""), size + 1);
  const resources = rows.slice(0, size).map(storedOf);
  const last = resources.at(-1)?.record.id;
  return rows.length > size && last !== undefined ? { resources, cursor: last } : { resources };
}

/** A page of what was written after a version. */
export function* listChanges(after: number, size: number): SqlSteps<ChangePage> {
  const select = `SELECT id_key, version, CASE WHEN record IS NULL THEN 1 ELSE 0 END AS is_removed
    FROM ccl_catalog_resources WHERE version > ? ORDER BY version LIMIT ?`;
  const rows = yield* rowsOf(select, after, size + 1);
  const changes = rows.slice(0, size).map((row) => ({
    id: textOfSortKey(String(row["id_key"])),
    version: Number(row["version"]),
    isRemoved: Number(row["is_removed"]) === 1,
  }));
  return { changes, after: changes.at(-1)?.version ?? after, hasMore: rows.length > size };
}

/** A page of a history, newest first; the cursor is the position of the entry before. */
export function* listHistory(id: string, before: number, size: number): SqlSteps<HistoryPage> {
  const select = `SELECT position, entry, sha256 FROM ccl_catalog_history
    WHERE id_key = ? AND position < ? ORDER BY position DESC LIMIT ?`;
  const rows = yield* rowsOf(select, sortKeyOf(id), before, size + 1);
  const page = rows.slice(0, size);
  const entries = page.map((row): HistoryEntry => JSON.parse(soundText(row, "entry", id)));
  return rows.length > size ? { entries, cursor: String(page.at(-1)?.["position"]) } : { entries };
}

/** Vectors that are kept. */
export function* readVectors(
  { inTexts }: SqlDialect,
  embedder: string,
  hashes: readonly string[],
): SqlSteps<VectorEntry[]> {
  const select = `SELECT hash_key, vector FROM ccl_catalog_vectors WHERE embedder_key = ? AND hash_key ${inTexts}`;
  const rows = yield* rowsOf(select, sortKeyOf(embedder), JSON.stringify(hashes.map(sortKeyOf)));
  return rows.map((row) => {
    const hash = textOfSortKey(String(row["hash_key"]));
    const vector = floatsOfBytes(row["vector"]);
    if (vector === undefined) throw damagedError(`the vector ${hash.slice(0, 16)}`);
    return { hash, vector };
  });
}

/** Keeps vectors. */
export function* writeVectors(embedder: string, entries: readonly VectorEntry[]): SqlSteps<void> {
  const byHash = new Map(entries.map(({ hash, vector }) => [hash, vector]));
  const rows = [...byHash].map(([hash, vector]) => [
    sortKeyOf(embedder),
    sortKeyOf(hash),
    bytesOfFloats(vector),
  ]);
  yield* insertRows(
    `INSERT INTO ccl_catalog_vectors (embedder_key, hash_key, vector) VALUES ROWS
     ON CONFLICT (embedder_key, hash_key) DO UPDATE SET vector = excluded.vector`,
    rows,
  );
}

function storedOf(row: SqlRow): StoredResource {
  const id = textOfSortKey(String(row["id_key"]));
  const record: ResourceRecord = JSON.parse(soundText(row, "record", id));
  if (record.id !== id) throw damagedError(`the record of ${JSON.stringify(id.slice(0, 80))}`);
  return { record, version: Number(row["version"]) };
}

function soundText(row: SqlRow, column: "record" | "entry", id: string): string {
  const text = row[column];
  if (typeof text === "string" && sha256Hex(text) === row["sha256"]) return text;
  throw damagedError(`the ${column} of ${JSON.stringify(id.slice(0, 80))}`);
}

function damagedError(what: string): CatalogError {
  return new CatalogError(
    "store_damaged",
    `In the catalog's tables ${what} is not what was written; restore a copy.`,
  );
}
