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
