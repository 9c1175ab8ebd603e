import type { ResourceDetails } from "@ccl/catalog";

/** A reference to a catalog table in a FROM. */
export interface TableUse {
  resource: ResourceDetails;
  /** Its name or alias in that FROM. */
  name: string;
  isNamed: boolean;
  /** The columns that are read, as the catalog spells them. */
  columns: Set<string>;
  /** True if a `*` or a NATURAL JOIN reads all columns. */
  isWhole: boolean;
  /** Start offset of its name. */
  start: number;
  end: number;
}

/**
 * PostgreSQL's type of an expression. `numeric` is also a decimal in DuckDB. `fraction` is a
 * numeric that DuckDB computes as a float. `literal` is a text literal that takes the type of the
 * other operand.
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

/** How many tables a query reads. A WITH name counts as many as its query reads. */
export interface Reads {
  all: number;
  /** Tables that a database may reorder in one join. */
  joined: number;
}

/** Rows that a name can refer to: a catalog table, or the result of a query within the statement. */
export interface RowSource {
  /** In lower case. Undefined if it has no name. */
  name: string | undefined;
  /** Lower-case names mapped to their spelling, in order. */
  columns: ReadonlyMap<string, string>;
  /** Known kinds by lower-case name. A catalog table has the kinds of its catalogued types. */
  kinds?: ReadonlyMap<string, ValueKind | undefined> | undefined;
  /** Columns that are unchanged copies of a catalog table's, by lower-case name. */
  origins?: ReadonlyMap<string, ColumnOrigin | undefined> | undefined;
  table?: TableUse | undefined;
  /** What a query within the statement reads. Undefined for one table. */
  reads?: Reads | undefined;
  /** True if the table does not exist, which has been reported. */
  isUnknown?: boolean | undefined;
}

/** What the names in one SELECT and its outer queries refer to. */
export interface NameScope {
  sources: RowSource[];
  /** Columns merged by USING or NATURAL. */
  merged: Set<string>;
  outer: NameScope | undefined;
}

/** A column of a catalog table. */
export interface ColumnOrigin {
  table: TableUse;
  column: string;
}

/** The source and column that a name refers to. */
export interface FoundName {
  source: RowSource;
  /** As its source spells it. */
  column: string;
}

/** Finds a column in the nearest scope that has it. `several` if that scope has more than one. */
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
 * The catalog column that a name refers to, also through subqueries and WITH. Undefined if it is
 * computed.
 */
export function originIn({ source, column }: FoundName): ColumnOrigin | undefined {
  const { table, origins } = source;
  return table === undefined ? origins?.get(column.toLowerCase()) : { table, column };
}

/** The sources that are visible here and have this name, or all of them. The nearest come first. */
export function visibleSources(
  scope: NameScope | undefined,
  table: string | undefined,
): RowSource[] {
  if (scope === undefined) return [];
  const wanted = table?.toLowerCase();
  const own = scope.sources.filter(({ name }) => wanted === undefined || name === wanted);
  return [...own, ...visibleSources(scope.outer, table)];
}

/** The columns of sources, for a message. */
export function columnNames(sources: readonly RowSource[]): string[] {
  return [...new Set(sources.flatMap(({ columns }) => [...columns.values()]))];
}
