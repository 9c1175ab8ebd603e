import type { PostgresClient, SqliteDatabase } from "@ccl/sql";
import {
  fromSqlDatabase,
  isSqlite,
  type FromSqlDatabaseOptions,
} from "../importers/from-sql-database.ts";
import { databaseUri } from "../importers/sql-resource.ts";
import { importProbe } from "./import-probe.ts";
import type { ResourceProbe } from "./resource-probe.ts";

/** The database to probe. `name` and `schemas` are the same as in `fromSqlDatabase`. */
export type SqlProbeOptions = Pick<FromSqlDatabaseOptions, "name" | "schemas" | "maxTables">;

/**
 * Compares tables with a database, by uris such as `ada://any/db/pg:main/public.orders`. Reads the system catalogs
 * once, and no rows.
 */
export function sqlProbe(
  handle: SqliteDatabase | PostgresClient,
  options: SqlProbeOptions = {},
): ResourceProbe {
  const engine = isSqlite(handle) ? "sqlite" : "pg";
  const name = options.name ?? "main";
  return importProbe({
    name: `${engine}:${name}`,
    uriPrefix: databaseUri(engine, name),
    load: ({ signal }) => fromSqlDatabase(handle, { ...options, maxCountedRows: 0, signal }),
    knows: ["nn", "pk", "fk"],
  });
}
