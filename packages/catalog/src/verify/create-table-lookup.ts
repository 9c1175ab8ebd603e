import { decodeAddressName } from "../importers/resource-address.ts";
import type { ResourceDetails, ResourceInput } from "../record/resource-record.ts";
import { rowsOf } from "./anti-pattern-rules.ts";
import type { KnownTable, TableLookup } from "./sql-facts.ts";

/** A resource of the catalog, and what its source has now. */
interface LookupResource {
  details: ResourceDetails;
  /** Of the source, where it was asked. */
  fresh?: Pick<ResourceInput, "columns" | "shape"> | undefined;
  siblings?: readonly ResourceInput[] | undefined;
}

/** Tables and schemas that databases bring along. */
const systemName =
  /^(?:information_schema|pg_catalog|sqlite_(?:schema|master|temp_schema|temp_master|sequence|stat1)|sys|dual)$/i;

/** Finds the tables that a snippet of one resource may name. */
export type TableLookups = (resource: ResourceDetails) => TableLookup;

/**
 * Tables by database: those of the catalog, with columns as the source has them now, and those that only the source has.
 * A name finds the table whose last parts it is, whatever the case.
 */
export function createTableLookups(resources: readonly LookupResource[]): TableLookups {
  const databases = new Map<string, Map<string, KnownTable>>();
  const complete = new Set<string>();
  for (const { details, fresh, siblings } of resources) {
    if (siblings !== undefined && !complete.has(databaseOf(details))) {
      complete.add(databaseOf(details));
      for (const sibling of siblings) addTable(databases, sibling, sibling);
    }
    if (fresh !== undefined || siblings === undefined) addTable(databases, details, { ...details, ...fresh });
  }
  return (resource) => {
    const database = databaseOf(resource);
    const tables = databases.get(database) ?? new Map<string, KnownTable>();
    return { isComplete: complete.has(database), find: (parts) => findTable(tables, parts) };
  };
}

/** What stands before the table in the uri, or in the id where there is no uri of a database. */
function databaseOf({ uri, id }: Pick<ResourceDetails, "uri" | "id">): string {
  return /^[a-z]+:\/\/[^/]*\/db\/[^/]+\//i.exec(uri ?? "")?.[0] ?? id.split(".").slice(0, 3).join(".");
}

/** The parts of a table's name, the table last. */
function tableName(resource: Pick<ResourceDetails, "uri" | "id">): string[] {
  const { uri, id } = resource;
  const database = databaseOf(resource);
  const path = uri?.startsWith(database) === true ? uri.slice(database.length) : id.slice(database.length + 1);
  return path.split(".").map((part) => decodeAddressName(part).toLowerCase());
}

function addTable(
  databases: Map<string, Map<string, KnownTable>>,
  resource: Pick<ResourceDetails, "id" | "uri" | "kind" | "usage">,
  { columns, shape }: Pick<ResourceInput, "columns" | "shape">,
): void {
  if (resource.kind !== "tabular") return;
  const names = columns?.map((column) => column.name.toLowerCase());
  const table: KnownTable = {
    columns: names === undefined || names.length === 0 ? undefined : new Set(names),
    resourceId: resource.id,
    rows: rowsOf(shape?.rows_est),
    antiPatterns: resource.usage?.anti_patterns ?? [],
  };
  const database = databaseOf(resource);
  const tables = databases.get(database) ?? new Map<string, KnownTable>();
  databases.set(database, tables);
  const parts = tableName(resource);
  for (let from = 0; from < parts.length; from += 1) tables.set(keyOf(parts.slice(from)), table);
}

function findTable(
  tables: ReadonlyMap<string, KnownTable>,
  parts: readonly string[],
): KnownTable | "opaque" | undefined {
  if (parts.some((part) => systemName.test(part)) || parts.at(-1)?.toLowerCase().startsWith("pg_") === true)
    return "opaque";
  // A database's own name may stand before the schema, and SQLite's main before the table.
  for (let from = 0; from < parts.length; from += 1) {
    const isMain = from > 0 && parts.slice(0, from).every((part) => part.toLowerCase() === "main");
    if (from > 0 && !isMain && parts.length - from < 2) break;
    const table = tables.get(keyOf(parts.slice(from).map((part) => part.toLowerCase())));
    if (table !== undefined) return table;
  }
  return undefined;
}

function keyOf(parts: readonly string[]): string {
  return JSON.stringify(parts);
}
