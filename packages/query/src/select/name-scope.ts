import type { ResourceDetails } from "@ccl/catalog";

/** A reference to a catalog table in a FROM clause. */
export interface TableUse {
  resource: ResourceDetails;
  /** Name or alias of the table in that FROM. */
  name: string;
  isNamed: boolean;
  /** Columns that are read, as spelled in the catalog. */
  columns: Set<string>;
  /** True if a `*` or a NATURAL JOIN reads all columns. */
  isWhole: boolean;
  /** Start offset of the table name. */
  start: number;
  end: number;
}

/**
 * PostgreSQL's type of an expression. `numeric` is a decimal in DuckDB too. `fraction` is a numeric that DuckDB
 * computes as a float. `literal` is a text literal that takes the type of the other operand.
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

/** Number of tables that a query reads. A WITH name counts as the number that its query reads. */
export interface Reads {
  all: number;
  /** Number of tables that a database may reorder in one join. */
  joined: number;
}

/** A column that a name can refer to. */
export interface SourceColumn {
  /** The name as spelled by its source. */
  name: string;
  /** Set for a catalog table's column, together with its type. */
  use?: TableUse | undefined;
  type?: string | undefined;
  /** The kind of a nested query's column. */
  kind?: ValueKind | undefined;
  /** The catalog column, if the value is copied unchanged, even through subqueries and WITH. */
  origin?: ColumnOrigin | undefined;
}

/** Rows that a name can refer to: a catalog table or the result of a nested query. */
export interface RowSource {
  /** Name in lower case. Undefined if the source is unnamed. */
  name: string | undefined;
  /** Columns by lower-case name, in order. */
  columns: ReadonlyMap<string, SourceColumn>;
  table?: TableUse | undefined;
  /** What a nested query reads. Undefined for a single table. */
  reads?: Reads | undefined;
  /** True if the table does not exist and this has been reported. */
  isUnknown?: boolean | undefined;
}

/** What names refer to in one SELECT and its outer queries. */
export interface NameScope {
  sources: RowSource[];
  /** Columns that USING or NATURAL merged, those of the last join first. */
  merged: ReadonlySet<string>;
  outer: NameScope | undefined;
}

/** A column in a catalog table. */
export interface ColumnOrigin {
  table: TableUse;
  column: string;
}

/** Finds a column in the nearest scope that has it. Returns `several` if that scope has more than one. */
export function findColumn(
  scope: NameScope | undefined,
  table: string | undefined,
  column: string,
): SourceColumn | "several" | undefined {
  const wanted = column.toLowerCase();
  for (let at = scope; at !== undefined; at = at.outer) {
    const sources = at.sources.filter(
      ({ name }) => table === undefined || name === table.toLowerCase(),
    );
    const found = sources.flatMap(({ columns }) => columns.get(wanted) ?? []);
    const [first] = found;
    if (found.length > 1 && table === undefined && !at.merged.has(wanted)) return "several";
    // The query reads each of the merged columns.
    for (const { name, use } of found) use?.columns.add(name);
    if (first !== undefined) return first;
    if (table !== undefined && sources.length > 0) return undefined;
  }
  return undefined;
}

/** Returns the visible sources with this name, or all visible sources. The nearest come first. */
export function visibleSources(
  scope: NameScope | undefined,
  table: string | undefined,
): RowSource[] {
  if (scope === undefined) return [];
  const wanted = table?.toLowerCase();
  const own = scope.sources.filter(({ name }) => wanted === undefined || name === wanted);
  return [...own, ...visibleSources(scope.outer, table)];
}

/** Lists the columns of sources for a message. */
export function columnNames(sources: readonly RowSource[]): string[] {
  const names = sources.flatMap(({ columns }) => [...columns.values()].map(({ name }) => name));
  return [...new Set(names)];
}
