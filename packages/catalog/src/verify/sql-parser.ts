import { countOperators, maxOperators } from "@ccl/sql";

import { CatalogError } from "../catalog-error.ts";

/**
 * Parses SQL to the syntax tree of datafusion-sqlparser-rs, a list of statements. Throws if the text is not valid SQL.
 */
export interface SqlParser {
  parse(sql: string, dialect: string): unknown;
}

/** Loads the parser, a WebAssembly module, on first use. @throws CatalogError `client_missing` */
export async function loadSqlParser(): Promise<SqlParser> {
  try {
    const { dialectFromString, init, parse } = await import("@guanmingchiu/sqlparser-ts");
    await init();
    return {
      parse(sql, dialect) {
        if (countOperators(sql) > maxOperators)
          throw new CatalogError("invalid_options", `More than ${maxOperators} operators.`);
        return parse(sql, dialectFromString(dialect));
      },
    };
  } catch (cause) {
    const message =
      "The SQL parser could not be loaded. Pass sqlParser or snippetLinters.sql where WebAssembly is not available.";
    throw new CatalogError("client_missing", message, { cause });
  }
}

const dialects: Readonly<Record<string, string>> = {
  pg: "postgresql",
  postgres: "postgresql",
  postgresql: "postgresql",
  sqlite: "sqlite",
  mysql: "mysql",
  mariadb: "mysql",
  mssql: "mssql",
  ch: "clickhouse",
  clickhouse: "clickhouse",
  duckdb: "duckdb",
  oracle: "oracle",
  bigquery: "bigquery",
  snowflake: "snowflake",
  redshift: "redshift",
  hive: "hive",
  spark: "spark",
};

/**
 * The dialect of a snippet: its engine if that is a dialect, otherwise the database of the uri, otherwise a permissive
 * generic one.
 */
export function dialectOf(engine: string, uri: string | undefined): string | undefined {
  const named = engine.toLowerCase();
  if (Object.hasOwn(dialects, named)) return dialects[named];
  if (named !== "sql") return undefined;
  const database = /\/db\/([a-z0-9]+):/i.exec(uri ?? "")?.[1]?.toLowerCase() ?? "";
  return (Object.hasOwn(dialects, database) ? dialects[database] : undefined) ?? "generic";
}
