import type { ResourceDetails } from "@ccl/catalog";
import type { PostgresClient, SqliteDatabase } from "@ccl/sql";
import type { Connector } from "../connector/connector.ts";
import { lastPart } from "../connector/find-connector.ts";
import { QueryError } from "../query-error.ts";
import { postgresSource, sqliteSource } from "./sql-source.ts";
import { runPostgres } from "./run-postgres.ts";
import { runSqlite } from "./run-sqlite.ts";
import { scanStatement } from "./scan-statement.ts";

/** Options for reading a SQL source. */
export interface SqlConnectorOptions {
  /** Used in messages. The kind of database by default. */
  name?: string | undefined;
  /**
   * Returns a resource's schema and table. Defaults to the last part of its address, with `public.orders` as two
   * names.
   */
  tableOf?(
    resource: ResourceDetails,
  ): readonly [table: string] | readonly [schema: string, table: string];
}

type TableName = ReturnType<NonNullable<SqlConnectorOptions["tableOf"]>>;

/**
 * Creates a read-only connector for PostgreSQL (a pg `Pool` or `Client`, or PGlite) or SQLite (from `openSqlite`).
 * With a pool, an abort cancels the statement on the server. A single connection ends it at `timeoutMs`. A SQLite
 * file is read in a separate process, which an abort ends. An in-memory database or a handle passed by the caller
 * blocks the thread.
 * @throws QueryError `invalid_options` for tables in the database's own schemas
 */
export function sqlConnector(
  handle: SqliteDatabase | PostgresClient,
  options: SqlConnectorOptions = {},
): Connector {
  const isSqlite = isSqliteDatabase(handle);
  const name = options.name ?? (isSqlite ? "SQLite" : "PostgreSQL");
  const tableOfResource = (resource: ResourceDetails): readonly string[] => {
    const found = tableOf(resource, options);
    return isSqlite && found.length === 1 ? ["main", ...found] : found;
  };
  return {
    name,
    sql: isSqlite ? sqliteSource(handle, tableOfResource) : postgresSource(handle, tableOfResource),
    run(scan, run) {
      const table = tableOf(scan.resource, options);
      const { columns } = scan;
      if (!isSqlite) {
        const statement = scanStatement(scan, { database: "postgresql", table });
        return runPostgres(handle, { name, columns, ...statement }, run);
      }
      const storedTypes = sqliteColumnTypes(handle, table);
      const statement = scanStatement(scan, { database: "sqlite", table, storedTypes });
      return runSqlite(handle, { name, columns, ...statement }, run);
    },
  };
}

function isSqliteDatabase(handle: SqliteDatabase | PostgresClient): handle is SqliteDatabase {
  return "prepare" in handle && "driver" in handle;
}

/** Returns the table of a resource. Defaults to the last part of its address. */
function tableOf(resource: ResourceDetails, options: SqlConnectorOptions): TableName {
  const name = options.tableOf?.(resource) ?? tableOfAddress(resource);
  const [table = "", schema = ""] = [...name].reverse();
  if (isSystemName(schema) || isSystemName(table)) {
    const message = `${JSON.stringify(resource.id)} is of the database's own tables, which are not read.`;
    throw new QueryError("invalid_options", message, { details: { resource: resource.id } });
  }
  return name;
}

/** True if the name is in the system catalogs of PostgreSQL, SQLite or the SQL standard. */
function isSystemName(name: string): boolean {
  return /^(?:pg_.*|sqlite_.*|pragma_.*|information_schema)$/i.test(name);
}

function tableOfAddress(resource: ResourceDetails): TableName {
  const last = lastPart(resource, /[/:]/);
  const dot = last.indexOf(".");
  return dot < 0 ? [last] : [last.slice(0, dot), last.slice(dot + 1)];
}

function sqliteColumnTypes(database: SqliteDatabase, name: TableName): ReadonlyMap<string, string> {
  const [table, schema = null] = [...name].reverse();
  const rows = database
    .prepare("SELECT name, type FROM pragma_table_xinfo(?, ?)")
    .all(table ?? null, schema);
  return new Map(rows.map(({ name, type }) => [String(name), String(type)]));
}
