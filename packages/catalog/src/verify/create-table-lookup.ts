import { decodeAddressName } from "../importers/resource-address.ts";
import type { ResourceDetails, ResourceInput } from "../record/resource-record.ts";
import { rowsOf } from "../record/anti-pattern-rules.ts";
import type { KnownTable, TableLookup } from "./sql-facts.ts";

/** A resource of the catalog, and its current state in the source. */
interface LookupResource {
  details: ResourceDetails;
  /** From the source, if it was probed. */
  fresh?: Pick<ResourceInput, "columns" | "shape"> | undefined;
  siblings?: readonly ResourceInput[] | undefined;
}

/** System tables and schemas of databases. */
const systemName =
  /^(?:information_schema|pg_catalog|sqlite_(?:schema|master|temp_schema|temp_master|sequence|stat1)|sys|dual)$/i;

/** Finds the tables that a snippet of one resource may name. */
export type TableLookups = (resource: ResourceDetails) => TableLookup;

/** A table as one resource describes it. `path` is its full name. */
type DescribedTable = KnownTable & { path: string };

/**
 * The tables of one database, by every suffix of their names. A suffix has several if resources
 * share a table or schemas share a name.
 */
type DatabaseTables = Map<string, DescribedTable[]>;

/**
 * Indexes tables by database. It covers the catalog's tables, with the current columns of the
 * source, and those that only the source has. A name matches every table whose path ends with it,
 * ignoring case. The resource's own table wins. Otherwise all matches are merged, including their
 * columns.
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
    const own = keyOf(tableName(resource));
    return {
      isComplete: complete.has(database),
      find: (parts) => {
        const found = findTables(tables, parts);
        return found === "opaque" ? found : joinTables(found, own);
      },
    };
  };
}

/**
 * The part of the uri before the table. If the uri is not that of a database, the same part of the
 * id.
 */
function databaseOf({ uri, id }: Pick<ResourceDetails, "uri" | "id">): string {
  return (
    /^[a-z]+:\/\/[^/]*\/db\/[^/]+\//i.exec(uri ?? "")?.[0] ?? id.split(".").slice(0, 3).join(".")
  );
}

/** The parts of a table's name, with the table last. */
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
    path: keyOf(parts),
    columns: names === undefined || names.length === 0 ? undefined : new Set(names),
    resourceId: resource.id,
    rows: rowsOf(shape?.rows_est),
    antiPatterns: resource.usage?.anti_patterns ?? [],
  };
  const database = databaseOf(resource);
  const tables: DatabaseTables = databases.get(database) ?? new Map();
  databases.set(database, tables);
  for (let from = 0; from < parts.length; from += 1) {
    const key = keyOf(parts.slice(from));
    const others = tables.get(key);
    if (others === undefined) tables.set(key, [table]);
    else others.push(table);
  }
}

/** Merges several descriptions into one table. Undefined if there are none. */
function joinTables(tables: readonly DescribedTable[], ownPath: string): KnownTable | undefined {
  const own = tables.filter(({ path }) => path === ownPath);
  const [first, ...others] = own.length > 0 ? own : tables;
  if (first === undefined) return undefined;
  let joined: KnownTable = first;
  for (const { columns, rows, antiPatterns } of others) {
    joined = {
      ...joined,
      columns: joined.columns && columns && new Set([...joined.columns, ...columns]),
      rows: joined.rows === undefined ? rows : Math.max(joined.rows, rows ?? 0),
      antiPatterns: [...joined.antiPatterns, ...antiPatterns],
    };
  }
  return joined;
}

function findTables(tables: DatabaseTables, parts: readonly string[]): DescribedTable[] | "opaque" {
  if (
    parts.some((part) => systemName.test(part)) ||
    parts.at(-1)?.toLowerCase().startsWith("pg_") === true
  )
    return "opaque";
  // A name may start with the database, or in SQLite with `main`.
  for (let from = 0; from < parts.length; from += 1) {
    const isMain = from > 0 && parts.slice(0, from).every((part) => part.toLowerCase() === "main");
    if (from > 0 && !isMain && parts.length - from < 2) break;
    const found = tables.get(keyOf(parts.slice(from).map((part) => part.toLowerCase())));
    if (found !== undefined) return found;
  }
  return [];
}

function keyOf(parts: readonly string[]): string {
  return JSON.stringify(parts);
}
