/** A name as SQLite, PostgreSQL and DuckDB take it, whatever it is. */
export function quoteIdentifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
