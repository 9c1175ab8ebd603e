import { withoutUndefined } from "@ccl/core/json";
import type { ResourceColumn, ResourceInput, ResourceUsage } from "../record/resource-record.ts";
import { cleanField, cleanText } from "../schema/clean-text.ts";
import { addressName, resourceId, resourceUri } from "./resource-address.ts";
import type { SqlTable } from "./sql-table.ts";

/** The database that a table belongs to, and the owner of its records. */
interface SqlResourceContext {
  /** First part of the uri's authority. */
  engine: "pg" | "sqlite";
  /** Your name for the database. */
  name: string;
  secret: string | undefined;
  owner: string | undefined;
  tags: readonly string[];
}

/** Minimum row count at which reading a table without a limit is an anti-pattern. */
const largeRows = 100_000;
/** Minimum column count at which reading all columns is an anti-pattern. */
const wideColumns = 12;
const snippetColumns = 6;
const snippetRows = 50;

/** Returns the prefix of all uris in a database, e.g. `ada://any/db/pg:main/`. */
export function databaseUri(engine: string, name: string): string {
  return `${resourceUri("db", `${engine}:${addressName(name)}`)}/`;
}

/** Converts a table to a complete record. */
export function sqlResource(table: SqlTable, context: SqlResourceContext): ResourceInput {
  const { engine, name, secret, owner, tags } = context;
  const path = table.schema === undefined ? [table.name] : [table.schema, table.name];
  const columns = table.columns.map(cleanColumn);
  return withoutUndefined({
    id: resourceId("db", engine, name, ...path),
    uri: databaseUri(engine, name) + path.map(addressName).join("."),
    kind: "tabular",
    title: `${cleanText(table.name, 200) ?? "unnamed"} (${engine}.${name})`,
    ...cleanField("description", table.comment),
    tags: [
      ...new Set([
        name,
        ...(table.schema === undefined ? [] : [table.schema]),
        ...kindTag(table),
        ...tags,
      ]),
    ],
    shape: { ...rowsField(table), cols: columns.length },
    cap: ["scan", "filter", "project", "aggregate", "sort", "limit", "join"],
    pushdown: {
      filter: true,
      project: true,
      aggregate: true,
      window: true,
      sort: true,
      limit: true,
      join: true,
    },
    columns,
    constraints: table.uniqueKeys.length > 0 ? { unique: table.uniqueKeys } : undefined,
    usage: usageOf(table),
    quality: Object.keys(table.nullRate).length > 0 ? { null_rate: table.nullRate } : undefined,
    access: secret === undefined ? undefined : { secrets: [secret] },
    owner,
  });
}

function cleanColumn({ description, ...column }: ResourceColumn): ResourceColumn {
  return { ...column, ...cleanField("description", description) };
}

function kindTag({ kind }: SqlTable): string[] {
  return kind === "table" ? [] : [kind.replaceAll(" ", "-")];
}

function rowsField({ rows, isAtLeast }: SqlTable): { rows_est?: number | string | undefined } {
  if (rows === undefined) return {};
  return { rows_est: isAtLeast === true ? `>${rows}` : rows };
}

function usageOf(table: SqlTable): ResourceUsage {
  const shown = [...table.columns]
    .sort((left, right) => Number(right.pk ?? false) - Number(left.pk ?? false))
    .slice(0, snippetColumns);
  const source = [...(table.schema === undefined ? [] : [table.schema]), table.name]
    .map(quoteName)
    .join(".");
  const key = table.columns
    .filter((column) => column.pk === true)
    .map((column) => quoteName(column.name));
  const select = shown.map((column) => quoteName(column.name)).join(", ");
  const order = key.length === 0 ? "" : ` ORDER BY ${key.join(", ")}`;
  const antiPatterns = [
    ...(table.columns.length >= wideColumns ? ["select *"] : []),
    ...((table.rows ?? 0) >= largeRows ? [`no limit over ${largeRows} rows`] : []),
  ];
  return {
    snippets:
      shown.length > 0
        ? [{ engine: "sql", code: `SELECT ${select} FROM ${source}${order} LIMIT ${snippetRows}` }]
        : undefined,
    anti_patterns: antiPatterns.length > 0 ? antiPatterns : undefined,
  };
}

const plainName = /^[a-z_][a-z0-9_]*$/;
// Words that can name a column but must be quoted in a query in either database.
const reserved = new Set(
  "all analyse analyze and any array as asc asymmetric between both by case cast check collate column constraint create cross current_catalog current_date current_role current_time current_timestamp current_user default deferrable desc distinct do else end escape except exists false fetch for foreign from full glob grant group having ilike in index inner intersect into is isnull join lateral leading left like limit localtime localtimestamp match natural not notnull null offset on only or order outer overlaps placing primary raise references regexp returning right select session_user set similar some symmetric table then to trailing transaction true union unique update user using values variadic verbose when where window with".split(
    " ",
  ),
);

/** Quotes a name for SQL, unless it is plain, lower-case and not a reserved word. */
export function quoteName(name: string): string {
  return plainName.test(name) && !reserved.has(name) ? name : `"${name.replaceAll('"', '""')}"`;
}
