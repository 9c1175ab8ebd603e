import type { ColumnBatch } from "../connector/column-batch.ts";

/** A column of what a statement gives. */
export interface SqlColumn {
  name: string;
  /** Like `int`, `text`, `decimal`; undefined where the source has none, as SQLite. */
  type?: string | undefined;
}

/** Rows of a statement. */
export interface SqlRows {
  /** By the source's own names. */
  columns: SqlColumn[];
  batches: AsyncIterable<ColumnBatch>;
}

/** A statement for a source. */
export interface SqlStatement {
  text: string;
  /** Names of its columns, in order. */
  columns: readonly string[];
}
