import { CatalogError } from "../catalog-error.ts";
import { throwIfAborted } from "@ccl/core/async";
import { withoutUndefined } from "@ccl/core/json";
import { quoteIdentifier, type SqliteDatabase, type SqliteRow } from "@ccl/sql";
import type { ResourceColumn } from "../record/resource-record.ts";
import {
  countNullsSql,
  markKeys,
  nullShares,
  type ForeignKey,
  type SqlTable,
} from "./sql-table.ts";
import { refuseTooMany, type TableReadOptions } from "./table-read-options.ts";

/** Number of tables to read before yielding to other work on the thread. */
const tablesPerTurn = 50;
const kinds: Record<string, SqlTable["kind"]> = { view: "view", virtual: "virtual table" };

/**
 * Describes the tables of SQLite databases, ordered by name. Yields between tables, because SQLite
 * calls block.
 */
export async function readSqliteTables(
  database: SqliteDatabase,
  options: TableReadOptions,
): Promise<SqlTable[]> {
  const tables: SqlTable[] = [];
  for (const schema of options.schemas ?? ["main"]) {
    const names = listTables(database, schema);
    if (tables.length + names.length > options.maxTables) refuseTooMany(options.maxTables);
    const statistics = readStatistics(database, schema);
    for (const { name, kind } of names) {
      throwIfAborted(options.signal, CatalogError);
      tables.push(readTable({ database, schema, options, statistics }, name, kind));
      if (tables.length % tablesPerTurn === 0)
        await new Promise<void>((resolve) => setTimeout(resolve, 0));
    }
  }
  return tables;
}

interface Reading {
  database: SqliteDatabase;
  schema: string;
  options: TableReadOptions;
  statistics: ReadonlyMap<string, number>;
}

// From 3.37 on, SQLite itself reports the shadow tables of a virtual table.
function listTables(
  database: SqliteDatabase,
  schema: string,
): { name: string; kind: SqlTable["kind"] }[] {
  const sql = `SELECT name, type FROM pragma_table_list
    WHERE lower(schema) = lower(?) AND type IN ('table', 'view', 'virtual') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
    ORDER BY name COLLATE BINARY`;
  const rows = database.prepare(sql).all(schema);
  return rows.map((row) => ({
    name: String(row["name"]),
    kind: kinds[String(row["type"])] ?? "table",
  }));
}

/** Returns row counts by table from the statistics of ANALYZE. The first number in `stat` is the row count. */
function readStatistics(database: SqliteDatabase, schema: string): Map<string, number> {
  const list = tableAt(schema, "sqlite_schema");
  const known = database.prepare(`SELECT 1 FROM ${list} WHERE name = 'sqlite_stat1'`).get();
  if (known === undefined) return new Map();
  const sql = `SELECT tbl, stat FROM ${tableAt(schema, "sqlite_stat1")}`;
  const rows = database.prepare(sql).all();
  const counts = new Map<string, number>();
  for (const { tbl, stat } of rows) {
    const count = Number(String(stat).split(" ")[0]);
    if (Number.isSafeInteger(count))
      counts.set(String(tbl), Math.max(count, counts.get(String(tbl)) ?? 0));
  }
  return counts;
}

function readTable(reading: Reading, name: string, kind: SqlTable["kind"]): SqlTable {
  const { database, schema, options } = reading;
  const pragma = (function_: string, of: string = name): SqliteRow[] =>
    database.prepare(`SELECT * FROM pragma_${function_}(?, ?)`).all(of, schema);
  const rows = pragma("table_xinfo").filter((row) => row["hidden"] !== 1 && row["name"] !== "");
  const keyRows = rows
    .filter((row) => Number(row["pk"]) > 0)
    .sort((a, b) => Number(a["pk"]) - Number(b["pk"]));
  const columns = rows.map((row) => columnOf(row, keyRows.length));
  const primary = keyRows.map((row) => String(row["name"]));
  const indexes = pragma("index_list").map((row) => ({
    isUniqueKey: row["origin"] === "u",
    columns: pragma("index_info", String(row["name"])).flatMap(({ name: column }) =>
      typeof column === "string" ? [column] : [],
    ),
  }));
  const indexed = new Map(
    indexes.flatMap((index) => index.columns.map((column): [string, string] => [column, "btree"])),
  );
  markKeys(columns, {
    primary,
    foreign: foreignKeys(reading, pragma("foreign_key_list")),
    indexes: indexed,
  });
  const sampled =
    options.sampleRows > 0 && kind === "table" ? sampleNulls(reading, name, columns) : {};
  if (options.sampleRows > 0) sampleTypes(reading, name, columns);
  return {
    schema: schema === "main" ? undefined : schema,
    name,
    kind,
    ...countRows(reading, name, kind),
    columns,
    uniqueKeys: indexes
      .filter((index) => index.isUniqueKey && index.columns.length > 1)
      .map((index) => index.columns),
    nullRate: sampled,
  };
}

function columnOf(row: SqliteRow, keyLength: number): ResourceColumn {
  const type = String(row["type"]);
  // A column that aliases the rowid is never null, even if it is declared nullable.
  const isRowid = Number(row["pk"]) === 1 && keyLength === 1 && type.toUpperCase() === "INTEGER";
  const isGenerated = Number(row["hidden"]) > 1;
  return withoutUndefined({
    name: String(row["name"]),
    type: type === "" ? undefined : type.toLowerCase(),
    nn: Number(row["notnull"]) === 1 || isRowid || undefined,
    generated: isGenerated || undefined,
  });
}

/** A foreign key without target columns refers to the target's primary key. */
function foreignKeys({ database, schema }: Reading, rows: readonly SqliteRow[]): ForeignKey[] {
  const keys = new Map<string, ForeignKey>();
  for (const row of [...rows].sort((a, b) => Number(a["seq"]) - Number(b["seq"]))) {
    const table = String(row["table"]);
    const key = keys.get(String(row["id"])) ?? { columns: [], table, references: [] };
    key.columns.push(String(row["from"]));
    if (typeof row["to"] === "string") key.references.push(row["to"]);
    keys.set(String(row["id"]), key);
  }
  for (const key of keys.values()) {
    if (key.references.length > 0) continue;
    const sql = "SELECT name FROM pragma_table_info(?, ?) WHERE pk > 0 ORDER BY pk";
    key.references = database
      .prepare(sql)
      .all(key.table, schema)
      .map((row) => String(row["name"]));
  }
  return [...keys.values()];
}

function countRows(
  { database, schema, options, statistics }: Reading,
  name: string,
  kind: SqlTable["kind"],
): { rows?: number | undefined; isAtLeast?: boolean | undefined } {
  if (kind !== "table") return {};
  const known = statistics.get(name);
  if (known !== undefined) return { rows: known };
  if (options.maxCountedRows === 0) return {};
  const limit = options.maxCountedRows + 1;
  const sql = `SELECT count(*) AS n FROM (SELECT 1 FROM ${tableAt(schema, name)} LIMIT ${limit})`;
  const counted = Number(database.prepare(sql).get()?.["n"]);
  return counted < limit ? { rows: counted } : { rows: options.maxCountedRows, isAtLeast: true };
}

function sampleNulls(
  reading: Reading,
  name: string,
  columns: readonly ResourceColumn[],
): Record<string, number> {
  const sql = countNullsSql(columns, sampleOf(reading, name));
  return nullShares(columns, reading.database.prepare(sql).get()) ?? {};
}

function sampleOf({ schema, options }: Reading, name: string): string {
  return `(SELECT * FROM ${tableAt(schema, name)} LIMIT ${options.sampleRows})`;
}

function tableAt(schema: string, name: string): string {
  return `${quoteIdentifier(schema)}.${quoteIdentifier(name)}`;
}

/** Infers types from values for columns without a declared type, such as computed columns in a view. */
function sampleTypes(reading: Reading, name: string, columns: readonly ResourceColumn[]): void {
  const untyped = columns.filter((column) => column.type === undefined);
  if (untyped.length === 0) return;
  const kinds = untyped.map(
    (column, index) =>
      `group_concat(DISTINCT typeof(${quoteIdentifier(column.name)})) AS c${index}`,
  );
  const sql = `SELECT ${kinds.join(", ")} FROM ${sampleOf(reading, name)}`;
  const row = reading.database.prepare(sql).get();
  for (const [index, column] of untyped.entries()) {
    const seen = String(row?.[`c${index}`] ?? "").split(",");
    const type = commonType(new Set(seen.filter((kind) => kind !== "" && kind !== "null")));
    if (type !== undefined) column.type = type;
  }
}

function commonType(kinds: ReadonlySet<string>): string | undefined {
  if (kinds.size === 2 && kinds.has("integer") && kinds.has("real")) return "real";
  return kinds.size === 1 ? [...kinds][0] : undefined;
}
