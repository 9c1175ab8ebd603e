/** Properties of a statement that a rule may forbid. */
export interface SqlFacts {
  /** A `*` selects all columns of a table. */
  hasStar: boolean;
  /**
   * Estimated rows of the largest table that the result reads without GROUP BY or LIMIT. 0: size unknown. Undefined if
   * there is none.
   */
  unlimitedRows: number | undefined;
  hasCrossJoin: boolean;
  /** `LIKE '%...'`, which cannot use an index. */
  hasLeadingWildcard: boolean;
  ordersByRandom: boolean;
  /** A table is read without a condition. */
  lacksWhere: boolean;
  hasOffset: boolean;
  writes: boolean;
}

/** An unknown name. */
export interface SqlProblem {
  code: "snippet_unknown_table" | "snippet_unknown_column";
  /** As written, with its table. */
  name: string;
  /** False if the name may exist and the catalog just does not list the table. */
  isCertain: boolean;
}

/** A known table that a snippet names. */
export interface KnownTable {
  /** Columns in lower case. Undefined if they are unknown. */
  columns: ReadonlySet<string> | undefined;
  resourceId: string;
  rows: number | undefined;
  antiPatterns: readonly string[];
}

/** The result of reading a statement. */
export interface SqlReading {
  facts: SqlFacts;
  problems: SqlProblem[];
  /** Known tables that the statement names. */
  tables: KnownTable[];
}

/** Finds a table by the parts of its name as written. `undefined` if there is none, `opaque` for system tables. */
export interface TableLookup {
  find(parts: readonly string[]): KnownTable | "opaque" | undefined;
  /** True if all tables of the source are known. */
  isComplete: boolean;
}
