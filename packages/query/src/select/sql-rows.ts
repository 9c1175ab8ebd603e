import type { ColumnBatch } from "../connector/column-batch.ts";

/** A column of a statement's result. */
export interface SqlColumn {
  name: string;
  /** Like `int`, `text`, `decimal`. Undefined if the source has no types, as SQLite. */
  type?: string | undefined;
}

/** Rows of a statement. */
export interface SqlRows {
  /** With the source's own names. */
  columns: SqlColumn[];
  batches: AsyncIterable<ColumnBatch>;
}

/** A statement for a source. */
export interface SqlStatement {
  text: string;
  /** Names of its columns, in order. */
  columns: readonly string[];
}
