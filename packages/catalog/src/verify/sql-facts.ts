import type { AntiPatternRule } from "../record/anti-pattern-rules.ts";

/** Properties of a statement that a rule may forbid. */
export interface SqlFacts {
  /** The rules that it breaks, except `missing_limit`, which depends on `unlimitedRows`. */
  broken: Set<AntiPatternRule["rule"]>;
  /**
   * Estimated rows of the largest table that the result reads without GROUP BY or LIMIT. 0: size unknown. Undefined if
   * there is none.
   */
  unlimitedRows: number | undefined;
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
