import type { DuckDBValue } from "@duckdb/node-api";
import type { DuckDbModule } from "./duckdb-values.ts";

/** Returns PostgreSQL's text of an interval, an array or an array's item. */
export function postgresText(duckdb: DuckDbModule, value: DuckDBValue): string {
  if (typeof value === "boolean") return value ? "t" : "f";
  if (value instanceof duckdb.DuckDBIntervalValue)
    return String(value)
      .replace(/month/, "mon")
      .replace(/-1 (?:year|mon|day)\b/g, "$&s")
      .replace(/(-\d+ \w+) (?=\d)/g, "$1 +");
  if (!(value instanceof duckdb.DuckDBListValue)) return String(value);
  const items = value.items.map((item) => {
    const text = item === null ? "NULL" : postgresText(duckdb, item);
    const isQuoted = item !== null && !(item instanceof duckdb.DuckDBListValue);
    return isQuoted && /^$|^null$|[\s{},"\\]/i.test(text)
      ? `"${text.replace(/["\\]/g, "\\$&")}"`
      : text;
  });
  return `{${items.join(",")}}`;
}
