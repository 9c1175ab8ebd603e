/** Quotes any name so that SQLite, PostgreSQL and DuckDB accept it. */
export function quoteIdentifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
