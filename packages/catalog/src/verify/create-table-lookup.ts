import { isSameJson } from "@ccl/core/json";
import { decodeAddressName } from "../importers/resource-address.ts";
import type { ResourceDetails, ResourceInput } from "../record/resource-record.ts";
import { rowsOf } from "../record/anti-pattern-rules.ts";
import type { KnownTable, TableLookup } from "./sql-facts.ts";

/** A resource in the catalog, and its current state in the source. */
interface LookupResource {
  details: ResourceDetails;
  /** State reported by the source, if it was probed. */
  fresh?: Pick<ResourceInput, "columns" | "shape"> | undefined;
  siblings?: readonly ResourceInput[] | undefined;
}

/** Matches databases' system tables and schemas. */
const systemName =
  /^(?:information_schema|pg_catalog|sqlite_(?:schema|master|temp_schema|temp_master|sequence|stat1)|sys|dual)$/i;

/** Returns the lookup for tables that a resource's snippets may name. */
export type TableLookups = (resource: ResourceDetails) => TableLookup;

/** A table as one resource describes it. */
type DescribedTable = KnownTable & {
  /** Parts of the full name, in lower case. */
  parts: readonly string[];
};

/** The tables of one database, keyed by the last part of the name. */
type DatabaseTables = Map<string, DescribedTable[]>;

/**
 * Indexes tables by database. Includes the catalog's tables, with current columns from the source, and tables that
 * only the source has. A name matches every table whose path ends with it, ignoring case. The resource's own table
 * wins. Otherwise all matches and their columns are merged.
 */
export function createTableLookups(resources: readonly LookupResource[]): TableLookups {
  const databases = new Map<string, DatabaseTables>();
  const complete = new Set<string>();
  for (const { details, fresh, siblings } of resources) {
    if (siblings !== undefined && !complete.has(databaseOf(details))) {
      complete.add(databaseOf(details));
      for (const sibling of siblings) addTable(databases, sibling, sibling);
    }
    if (fresh !== undefined || siblings === undefined)
      addTable(databases, details, { ...details, ...fresh });
  }
  return (resource) => {
    const database = databaseOf(resource);
    const tables: DatabaseTables = databases.get(database) ?? new Map();
    const resourceTable = tableName(resource);
    return {
      isComplete: complete.has(database),
      find(parts) {
        const names = parts.map((part) => part.toLowerCase());
        const isSystem = names.at(-1)?.startsWith("pg_") === true;
        if (isSystem || names.some((name) => systemName.test(name))) return "opaque";
        return joinTables(findTables(tables, names), resourceTable);
      },
    };
  };
}

/** Returns the part of the uri before the table, or the same part of the id if the uri does not name a database. */
function databaseOf({ uri, id }: Pick<ResourceDetails, "uri" | "id">): string {
  return (
    /^[a-z]+:\/\/[^/]*\/db\/[^/]+\//i.exec(uri ?? "")?.[0] ?? id.split(".").slice(0, 3).join(".")
  );
}

/** Returns the parts of a table's name. The table comes last. */
function tableName(resource: Pick<ResourceDetails, "uri" | "id">): string[] {
  const { uri, id } = resource;
  const database = databaseOf(resource);
  const path =
    uri?.startsWith(database) === true ? uri.slice(database.length) : id.slice(database.length + 1);
  return path.split(".").map((part) => decodeAddressName(part).toLowerCase());
}

function addTable(
  databases: Map<string, DatabaseTables>,
  resource: Pick<ResourceDetails, "id" | "uri" | "kind" | "usage">,
  { columns, shape }: Pick<ResourceInput, "columns" | "shape">,
): void {
  if (resource.kind !== "tabular") return;
  const names = columns?.map((column) => column.name.toLowerCase());
  const parts = tableName(resource);
  const table: DescribedTable = {
    parts,
    columns: names === undefined || names.length === 0 ? undefined : new Set(names),
    resourceId: resource.id,
    rows: rowsOf(shape?.rows_est),
    antiPatterns: resource.usage?.anti_patterns ?? [],
  };
  const database = databaseOf(resource);
  const tables: DatabaseTables = databases.get(database) ?? new Map();
  databases.set(database, tables);
  const last = parts.at(-1) ?? "";
  tables.set(last, [...(tables.get(last) ?? []), table]);
}

/** Returns the tables whose names end with the given one. */
function findTables(tables: DatabaseTables, names: readonly string[]): DescribedTable[] {
  const alike = tables.get(names.at(-1) ?? "") ?? [];
  for (let from = 0; from < names.length; from += 1) {
    const rest = names.slice(from);
    // A name may start with the database, or in SQLite with `main`.
    if (rest.length === 1 && names.slice(0, from).some((name) => name !== "main")) break;
    const found = alike.filter(({ parts }) => isSameJson(parts.slice(-rest.length), rest));
    if (found.length > 0) return found;
  }
  return [];
}

/** Merges several descriptions into one table. Returns undefined if there are none. */
function joinTables(
  tables: readonly DescribedTable[],
  ownName: readonly string[],
): KnownTable | undefined {
  const exact = tables.filter(({ parts }) => isSameJson(parts, ownName));
  const [first, ...others] = exact.length > 0 ? exact : tables;
  return first && others.reduce<KnownTable>(joined, first);
}

function joined(table: KnownTable, { columns, rows, antiPatterns }: KnownTable): KnownTable {
  return {
    ...table,
    columns: table.columns && columns && new Set([...table.columns, ...columns]),
    rows: table.rows === undefined ? rows : Math.max(table.rows, rows ?? 0),
    antiPatterns: [...table.antiPatterns, ...antiPatterns],
  };
}
