/** What a statement does that a rule may forbid. */
export interface SqlFacts {
  /** All columns of a table are asked for. */
  hasStar: boolean;
  /** Of the largest table whose rows come out neither grouped nor limited, 0 where its size is unknown; undefined without one. */
  unlimitedRows: number | undefined;
  hasCrossJoin: boolean;
  /** `LIKE '%...'`, which no index helps. */
  hasLeadingWildcard: boolean;
  ordersByRandom: boolean;
  /** A table is read without a condition. */
  lacksWhere: boolean;
  hasOffset: boolean;
  writes: boolean;
}

/** A name that is not there. */
export interface SqlProblem {
  code: "snippet_unknown_table" | "snippet_unknown_column";
  /** As it is written, with its table. */
  name: string;
  /** False where the catalog merely does not list the table. */
  isCertain: boolean;
}

/** What is known of a table that a snippet names. */
export interface KnownTable {
  /** Columns in lower case; undefined where they are not known. */
  columns: ReadonlySet<string> | undefined;
  resourceId: string;
  rows: number | undefined;
  antiPatterns: readonly string[];
}

/** What reading a statement gave. */
export interface SqlReading {
  facts: SqlFacts;
  problems: SqlProblem[];
  /** Tables that were found. */
  tables: KnownTable[];
}

/** Finds a table by the parts of its name as written; `undefined` where there is none, `opaque` for what a database brings along. */
export interface TableLookup {
  find(parts: readonly string[]): KnownTable | "opaque" | undefined;
  /** True where all tables of the source are known. */
  isComplete: boolean;
}
