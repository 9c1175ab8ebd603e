import type { Facet } from "../search-index.ts";
import type { DocumentTable } from "../table/document-table.ts";
import type { TextPostings } from "../text/text-postings.ts";
import type { VectorPrecision, VectorTable } from "../vectors/vector-table.ts";

/** All that an index holds. */
export interface IndexState {
  table: DocumentTable;
  text: TextPostings;
  vectors: VectorTable;
}

/** What an index must have in common with the one that was saved. */
export interface IndexFormat {
  analyzer: string;
  /** Fields that are weighed apart, in the order of their numbers. */
  fields: readonly string[];
  precision: VectorPrecision;
}

/** First bytes of a saved index. */
export const savedMagic: Uint8Array = new TextEncoder().encode("CCLINDEX");
/** Counts up when the format changes. */
export const savedVersion = 2;

/** The part of a saved index that is JSON; numbers in the rest point into its lists. */
export interface SavedHeader extends IndexFormat {
  /** All lists in code unit order. */
  ids: string[];
  containers: string[];
  facets: Facet[];
  terms: string[];
  dimensions: number;
  vectorCount: number;
}

/** The bytes of hexadecimal digits. */
export function hexToBytes(hex: string): Uint8Array {
  return Uint8Array.from({ length: hex.length / 2 }, (_, at) =>
    Number.parseInt(hex.slice(at * 2, at * 2 + 2), 16),
  );
}
