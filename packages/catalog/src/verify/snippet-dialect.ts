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
 * Returns a snippet's dialect: its engine if that is a dialect, else the database in the uri, else a permissive
 * generic one.
 */
export function dialectOf(engine: string, uri: string | undefined): string | undefined {
  const named = engine.toLowerCase();
  if (Object.hasOwn(dialects, named)) return dialects[named];
  if (named !== "sql") return undefined;
  const database = /\/db\/([a-z0-9]+):/i.exec(uri ?? "")?.[1]?.toLowerCase() ?? "";
  return (Object.hasOwn(dialects, database) ? dialects[database] : undefined) ?? "generic";
}
