import type { ResourceDetails } from "@ccl/catalog";

/** A table of the catalog as one FROM names it. */
export interface TableUse {
  resource: ResourceDetails;
  /** What it goes by in its FROM. */
  name: string;
  isNamed: boolean;
  /** Columns that are read, as the catalog spells them. */
  columns: Set<string>;
  /** True where a `*` or a NATURAL JOIN takes all of them. */
  isWhole: boolean;
  /** Where its name stands. */
  start: number;
  end: number;
}

/**
 * What an expression's values are to PostgreSQL. `numeric` is a decimal to DuckDB as well, `fraction` a numeric that DuckDB
 * computes as a float. A `literal` is a text that databases take for what it is compared with.
 */
export type ValueKind =
  | "int"
  | "bigint"
  | "numeric"
  | "fraction"
  | "float"
  | "date"
  | "text"
  | "literal"
  | "null";

/** Rows that names may be of: a table of the catalog, or what a query within the statement gives. */
export interface RowSource {
  /** In lower case; undefined where nothing names it. */
  name: string | undefined;
  /** Names in lower case to the names as they are spelled, in order. */
  columns: ReadonlyMap<string, string>;
  /** By names in lower case, as far as they are known; a table's are those of its catalogued types. */
  kinds?: ReadonlyMap<string, ValueKind | undefined> | undefined;
  table?: TableUse | undefined;
  /** It does not exist, which was said once. */
  isUnknown?: boolean | undefined;
}

/** What the names of one SELECT stand for, and what those around it do. */
export interface NameScope {
  sources: RowSource[];
  /** Columns that USING or NATURAL merged. */
  merged: Set<string>;
  outer: NameScope | undefined;
}

/** Where a name was found. */
export interface FoundName {
  source: RowSource;
  /** As it is spelled there. */
  column: string;
}

/** The column of a name, in the nearest scope that knows it; `several` where one scope knows more than one. */
export function findColumn(
  scope: NameScope | undefined,
  table: string | undefined,
  column: string,
): FoundName | "several" | undefined {
  const wanted = column.toLowerCase();
  for (let at = scope; at !== undefined; at = at.outer) {
    const sources = at.sources.filter(
      ({ name }) => table === undefined || name === table.toLowerCase(),
    );
    const found = sources.flatMap((source) => {
      const spelled = source.columns.get(wanted);
      return spelled === undefined ? [] : [{ source, column: spelled }];
    });
    const [first] = found;
    if (first !== undefined && found.length > 1 && table === undefined && !at.merged.has(wanted))
      return "several";
    if (first !== undefined) {
      // Each of the merged ones is read.
      for (const { source, column: spelled } of found) source.table?.columns.add(spelled);
      return first;
    }
    if (table !== undefined && sources.length > 0) return undefined;
  }
  return undefined;
}

/** All that a name in this place could be, for a message. */
export function visibleNames(scope: NameScope | undefined): string[] {
  const names: string[] = [];
  for (let at = scope; at !== undefined; at = at.outer)
    for (const { columns } of at.sources) names.push(...columns.values());
  return [...new Set(names)];
}

/** The names of the tables that a name in this place could be of. */
export function visibleSources(scope: NameScope | undefined): string[] {
  const names: string[] = [];
  for (let at = scope; at !== undefined; at = at.outer)
    for (const { name } of at.sources) if (name !== undefined) names.push(name);
  return names;
}

/** True where a column may be of a table that does not exist. */
export function mayBeOfUnknown(scope: NameScope | undefined, table: string | undefined): boolean {
  for (let at = scope; at !== undefined; at = at.outer)
    for (const { name, isUnknown } of at.sources)
      if (isUnknown === true && (table === undefined || name === table.toLowerCase())) return true;
  return false;
}
