import type { Facet } from "../search-index.ts";
import type { DocumentTable } from "../table/document-table.ts";
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

/** The first bytes of a saved index. */
export const savedMagic: Uint8Array = new TextEncoder().encode("CCLINDEX");
/** Incremented when the format changes. */
export const savedVersion = 2;

/** The JSON part of a saved index. Numbers in the binary part are indexes into its lists. */
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
