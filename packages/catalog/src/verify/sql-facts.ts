import type { AntiPatternRule } from "../record/anti-pattern-rules.ts";

/** Properties of a statement that a rule may forbid. */
export interface SqlFacts {
  /** Rules that the statement breaks, except `missing_limit`, which depends on `unlimitedRows`. */
  broken: Set<AntiPatternRule["rule"]>;
  /**
   * Estimated rows in the largest table that is read without GROUP BY or LIMIT. 0 if its size is unknown.
   * Undefined if there is no such table.
   */
  unlimitedRows: number | undefined;
  writes: boolean;
}

/** An unknown name. */
export interface SqlProblem {
  code: "snippet_unknown_table" | "snippet_unknown_column";
  /** The name as written, including its table. */
  name: string;
  /** False if the name may exist in a table that the catalog does not list. */
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

/**
 * Finds a table by the parts of its name as written. Returns `opaque` for system tables, `undefined` if none
 * matches.
 */
export interface TableLookup {
  find(parts: readonly string[]): KnownTable | "opaque" | undefined;
  /** True if all tables of the source are known. */
  isComplete: boolean;
}
