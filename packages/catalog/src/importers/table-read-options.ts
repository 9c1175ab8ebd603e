import { CatalogError } from "../catalog-error.ts";

/** Options shared by the PostgreSQL and SQLite readers. */
export interface TableReadOptions {
  schemas: readonly string[] | undefined;
  sampleRows: number;
  maxCountedRows: number;
  maxTables: number;
  signal: AbortSignal | undefined;
}

/** Rejects a database with too many tables, because an import must not omit any. */
export function refuseTooMany(maxTables: number): never {
  const message = `The database has more than ${maxTables} tables; name schemas, or raise maxTables.`;
  throw new CatalogError("import_failed", message);
}
