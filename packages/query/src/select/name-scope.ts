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

/** Rows that a name can refer to: a catalog table or the result of a nested query. */
export interface RowSource {
  /** Name in lower case. Undefined if the source is unnamed. */
  name: string | undefined;
  /** Maps lower-case names to their original spelling, in order. */
  columns: ReadonlyMap<string, string>;
  /** Known kinds by lower-case name. For a catalog table, they are derived from the catalogued types. */
  kinds?: ReadonlyMap<string, ValueKind | undefined> | undefined;
  /** Catalog columns that are copied unchanged, by lower-case name. */
  origins?: ReadonlyMap<string, ColumnOrigin | undefined> | undefined;
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

/** The source and column that a name refers to. */
export interface FoundName {
  source: RowSource;
  /** The column as spelled by its source. */
  column: string;
}

/** Finds a column in the nearest scope that has it. Returns `several` if that scope has more than one. */
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
      // The query reads each of the merged columns.
      for (const { source, column: spelled } of found) source.table?.columns.add(spelled);
      return first;
    }
    if (table !== undefined && sources.length > 0) return undefined;
  }
  return undefined;
}

/**
 * Returns the catalog column that a name refers to, even through subqueries and WITH. Returns undefined for a
 * computed column.
 */
export function originIn({ source, column }: FoundName): ColumnOrigin | undefined {
  const { table, origins } = source;
  return table === undefined ? origins?.get(column.toLowerCase()) : { table, column };
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
  return [...new Set(sources.flatMap(({ columns }) => [...columns.values()]))];
}
