import type { DocumentTable, TableDocument } from "../table/document-table.ts";
import type { TextPostings } from "../text/text-postings.ts";
import type { VectorPrecision, VectorTable } from "../vectors/vector-table.ts";

/** The complete state of an index. */
export interface IndexState {
  table: DocumentTable;
  text: TextPostings;
  vectors: VectorTable;
}

/** The settings that must match those of a saved index to restore it. */
export interface IndexFormat {
  analyzer: string;
  /** Fields with their own weights, in the order of their numbers. */
  fields: readonly string[];
  precision: VectorPrecision;
}

/** Length of the line with the hash. */
export const hashBytes = 65;
/** Incremented when the format changes. */
export const savedVersion = 3;

/** The JSON line of a saved index, between the hash of the rest and the bytes of the vectors. */
export interface SavedHeader extends IndexFormat {
  version: number;
  /** In code unit order of the ids. A document's place in this list is its slot once restored. */
  documents: TableDocument[];
  /** Each term with its entries, each as the difference to the entry before it. */
  terms: [term: string, steps: number[]][];
  dimensions: number;
  /** Slot and scale of each vector, in the order of their bytes. */
  vectors: [slot: number, scale: number][];
}
