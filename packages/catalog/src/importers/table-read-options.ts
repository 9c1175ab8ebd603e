import { CatalogError } from "../catalog-error.ts";

/** What the readers of both databases go by. */
export interface TableReadOptions {
  schemas: readonly string[] | undefined;
  sampleRows: number;
  maxCountedRows: number;
  maxTables: number;
  signal: AbortSignal | undefined;
}

/** Ends an import that would have to leave tables out. */
export function refuseTooMany(maxTables: number): never {
  const message = `The database has more than ${maxTables} tables; name schemas, or raise maxTables.`;
  throw new CatalogError("import_failed", message);
}
