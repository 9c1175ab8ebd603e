import { CatalogError } from "../catalog-error.ts";
import { throwIfAborted } from "@ccl/core/async";
import { withoutUndefined } from "@ccl/core/json";
import {
  createPostgresSession,
  type PostgresClient,
  type PostgresRow,
  type PostgresSession,
} from "@ccl/sql";
import type { ResourceColumn } from "../record/resource-record.ts";
import { textsOf } from "../schema/text-field.ts";
import { quoteName } from "./sql-resource.ts";
import {
  countNullsSql,
  markKeys,
  nullShares,
  type ForeignKey,
  type SqlTable,
} from "./sql-table.ts";
import { refuseTooMany, type TableReadOptions } from "./table-read-options.ts";

// Excludes partitions, which belong to their parent, and extension tables, which contain no user data.
const chosenTables = `
  SELECT c.oid, n.nspname, c.relname, c.relkind, c.reltuples
  FROM pg_catalog.pg_class c
  JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
  WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND NOT c.relispartition
    AND n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'
    AND ($1::text IS NULL OR n.nspname IN (SELECT json_array_elements_text($1::json)))
    AND NOT EXISTS (
      SELECT FROM pg_catalog.pg_depend d
      WHERE d.classid = 'pg_catalog.pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e')
  ORDER BY n.nspname COLLATE "C", c.relname COLLATE "C"
  LIMIT $2`;

const tablesSql = `
  WITH chosen AS (${chosenTables})
  SELECT c.oid::int8 AS id, c.nspname AS schema, c.relname AS name, c.relkind::text AS kind,
    CASE WHEN c.relkind = 'p' THEN (
      SELECT sum(greatest(l.reltuples, 0))::float8
      FROM pg_catalog.pg_partition_tree(c.oid) t JOIN pg_catalog.pg_class l ON l.oid = t.relid WHERE t.isleaf)
    ELSE c.reltuples::float8 END AS rows,
    pg_catalog.obj_description(c.oid, 'pg_class') AS comment
  FROM chosen c`;

const columnsSql = `
  WITH chosen AS (${chosenTables})
  SELECT a.attrelid::int8 AS id, a.attname AS name,
    -- Whether a type's schema is named goes by the session's search path, so that it never is.
    CASE WHEN starts_with(pg_catalog.format_type(a.atttypid, a.atttypmod), quote_ident(tn.nspname) || '.')
      THEN substr(pg_catalog.format_type(a.atttypid, a.atttypmod), length(quote_ident(tn.nspname)) + 2)
      ELSE pg_catalog.format_type(a.atttypid, a.atttypmod) END AS type,
    a.attnotnull AS required, pg_catalog.col_description(a.attrelid, a.attnum) AS comment,
    a.attgenerated <> '' AS generated,
    (SELECT json_agg(e.enumlabel ORDER BY e.enumsortorder)::text FROM pg_catalog.pg_enum e WHERE e.enumtypid = a.atttypid)
      AS labels
  FROM pg_catalog.pg_attribute a
  JOIN chosen c ON c.oid = a.attrelid
  JOIN pg_catalog.pg_type t ON t.oid = a.atttypid
  JOIN pg_catalog.pg_namespace tn ON tn.oid = t.typnamespace
  WHERE a.attnum > 0 AND NOT a.attisdropped
  ORDER BY a.attrelid, a.attnum`;

const keysSql = `
  WITH chosen AS (${chosenTables})
  SELECT k.conrelid::int8 AS id, k.oid::int8 AS key, k.contype::text AS kind, a.attname AS name,
    fn.nspname AS target_schema, fc.relname AS target_table, fa.attname AS target_column
  FROM pg_catalog.pg_constraint k
  JOIN chosen c ON c.oid = k.conrelid
  CROSS JOIN LATERAL unnest(k.conkey) WITH ORDINALITY AS part (attnum, place)
  JOIN pg_catalog.pg_attribute a ON a.attrelid = k.conrelid AND a.attnum = part.attnum
  LEFT JOIN pg_catalog.pg_class fc ON fc.oid = k.confrelid
  LEFT JOIN pg_catalog.pg_namespace fn ON fn.oid = fc.relnamespace
  LEFT JOIN pg_catalog.pg_attribute fa ON fa.attrelid = k.confrelid AND fa.attnum = k.confkey[part.place]
  WHERE k.contype IN ('p', 'u', 'f')
  ORDER BY k.conrelid, k.conname COLLATE "C", k.oid, part.place`;

const indexesSql = `
  WITH chosen AS (${chosenTables})
  SELECT i.indrelid::int8 AS id, m.amname AS method, a.attname AS name
  FROM pg_catalog.pg_index i
  JOIN chosen c ON c.oid = i.indrelid
  JOIN pg_catalog.pg_class ic ON ic.oid = i.indexrelid
  JOIN pg_catalog.pg_am m ON m.oid = ic.relam
  CROSS JOIN LATERAL unnest(i.indkey) WITH ORDINALITY AS part (attnum, place)
  JOIN pg_catalog.pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = part.attnum
  WHERE i.indisvalid AND part.place <= i.indnkeyatts
  ORDER BY i.indrelid, part.place DESC, ic.relname COLLATE "C" DESC`;

const nullsSql = `
  SELECT schemaname AS schema, tablename AS name, attname AS "column", null_frac::float8 AS share
  FROM pg_catalog.pg_stats
  WHERE null_frac > 0 AND ($1::text IS NULL OR schemaname IN (SELECT json_array_elements_text($1::json)))
  ORDER BY inherited`;

const kinds: Record<string, SqlTable["kind"]> = {
  v: "view",
  m: "materialized view",
  f: "foreign table",
};

/** Describes the tables in the given schemas from PostgreSQL's catalogs, ordered by schema and name. */
export async function readPostgresTables(
  client: PostgresClient,
  options: TableReadOptions,
): Promise<SqlTable[]> {
  const session = createPostgresSession(client);
  const schemas = options.schemas === undefined ? null : JSON.stringify(options.schemas);
  const ask = (sql: string): Promise<PostgresRow[]> => {
    throwIfAborted(options.signal, CatalogError);
    return session.query(sql, [schemas, options.maxTables + 1]);
  };
  const found = await ask(tablesSql);
  if (found.length > options.maxTables) refuseTooMany(options.maxTables);
  const columns = groupById(await ask(columnsSql));
  const keys = groupById(await ask(keysSql));
  const indexes = groupById(await ask(indexesSql));
  throwIfAborted(options.signal, CatalogError);
  const nulls = nullRates(await session.query(nullsSql, [schemas]));
  const tables = found.map((row) => {
    const id = String(row["id"]);
    return tableOf(row, {
      columns: columns.get(id) ?? [],
      keys: keys.get(id) ?? [],
      indexes: indexes.get(id) ?? [],
    });
  });
  for (const table of tables) {
    const sampled = options.sampleRows > 0 ? await sampleNulls(session, table, options) : undefined;
    table.nullRate = sampled ?? nulls.get(JSON.stringify([table.schema, table.name])) ?? {};
  }
  return tables;
}

function groupById(rows: readonly PostgresRow[]): Map<string, PostgresRow[]> {
  const groups = new Map<string, PostgresRow[]>();
  for (const row of rows) {
    const id = String(row["id"]);
    const group = groups.get(id);
    if (group === undefined) groups.set(id, [row]);
    else group.push(row);
  }
  return groups;
}

interface TableRows {
  columns: PostgresRow[];
  keys: PostgresRow[];
  indexes: PostgresRow[];
}

function tableOf(row: PostgresRow, { columns: columnRows, keys, indexes }: TableRows): SqlTable {
  const columns = columnRows.map(columnOf);
  const constraints = keysOf(keys);
  const keysOfKind = (kind: string) => constraints.filter((key) => key.kind === kind);
  const methods = new Map(indexes.map((index) => [String(index["name"]), String(index["method"])]));
  markKeys(columns, {
    primary: keysOfKind("p").flatMap((key) => key.columns),
    foreign: keysOfKind("f"),
    indexes: methods,
  });
  const { rows, comment } = row;
  return {
    schema: String(row["schema"]),
    name: String(row["name"]),
    kind: kinds[String(row["kind"])] ?? "table",
    comment: typeof comment === "string" ? comment : undefined,
    // -1 means that the table was never analyzed. A view has no estimate.
    rows:
      typeof rows === "number" && rows >= 0 && row["kind"] !== "v" ? Math.round(rows) : undefined,
    columns,
    uniqueKeys: keysOfKind("u")
      .map((key) => key.columns)
      .filter((names) => names.length > 1),
    nullRate: {},
  };
}

function columnOf(row: PostgresRow): ResourceColumn {
  const { comment, labels } = row;
  const values: unknown = typeof labels === "string" ? JSON.parse(labels) : undefined;
  return withoutUndefined({
    name: String(row["name"]),
    type: String(row["type"]),
    description: typeof comment === "string" ? comment : undefined,
    nn: row["required"] === true ? true : undefined,
    generated: row["generated"] === true ? true : undefined,
    enum: Array.isArray(values) ? textsOf(values) : undefined,
  });
}

function keysOf(rows: readonly PostgresRow[]): (ForeignKey & { kind: string })[] {
  const keys = new Map<string, ForeignKey & { kind: string }>();
  for (const row of rows) {
    const id = String(row["key"]);
    const table = `${String(row["target_schema"])}.${String(row["target_table"])}`;
    const key = keys.get(id) ?? { kind: String(row["kind"]), columns: [], table, references: [] };
    key.columns.push(String(row["name"]));
    if (typeof row["target_column"] === "string") key.references.push(row["target_column"]);
    keys.set(id, key);
  }
  return [...keys.values()];
}

function nullRates(rows: readonly PostgresRow[]): Map<string, Record<string, number>> {
  const rates = new Map<string, Record<string, number>>();
  for (const row of rows) {
    const table = JSON.stringify([row["schema"], row["name"]]);
    const known = rates.get(table) ?? {};
    known[String(row["column"])] = Math.round(Number(row["share"]) * 10_000) / 10_000;
    rates.set(table, known);
  }
  return rates;
}

/** Computes null rates over the first rows. Returns undefined if the table is unreadable or empty. */
async function sampleNulls(
  session: PostgresSession,
  table: SqlTable,
  { sampleRows, signal }: TableReadOptions,
): Promise<Record<string, number> | undefined> {
  throwIfAborted(signal, CatalogError);
  if (table.columns.length === 0 || table.kind === "view" || table.kind === "foreign table")
    return undefined;
  const source = [table.schema ?? "public", table.name].map(quoteName).join(".");
  const sample = `(SELECT * FROM ${source} LIMIT ${sampleRows}) AS sample`;
  const [row] = await session.query(countNullsSql(table.columns, sample));
  return nullShares(table.columns, row);
}
