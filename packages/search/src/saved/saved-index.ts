import type { Facet } from "../search-index.ts";
import type { DocumentTable } from "../table/document-table.ts";
import type { TextPostings } from "../text/text-postings.ts";
import type { VectorPrecision, VectorTable } from "../vectors/vector-table.ts";

/** Everything that an index holds. */
export interface IndexState {
  table: DocumentTable;
  text: TextPostings;
  vectors: VectorTable;
}

/** What an index must have in common with a saved one. */
export interface IndexFormat {
  analyzer: string;
  /** Fields with separate weights, in the order of their numbers. */
  fields: readonly string[];
  precision: VectorPrecision;
}

/** First bytes of a saved index. */
export const savedMagic: Uint8Array = new TextEncoder().encode("CCLINDEX");
/** Incremented when the format changes. */
export const savedVersion = 2;

/** The JSON part of a saved index. Numbers in the rest refer to its lists. */
export interface SavedHeader extends IndexFormat {
  /** All lists are in code unit order. */
  ids: string[];
  containers: string[];
  facets: Facet[];
  terms: string[];
  dimensions: number;
  vectorCount: number;
}

/** Decodes hexadecimal digits. */
export function hexToBytes(hex: string): Uint8Array {
  return Uint8Array.from({ length: hex.length / 2 }, (_, at) =>
    Number.parseInt(hex.slice(at * 2, at * 2 + 2), 16),
  );
}
