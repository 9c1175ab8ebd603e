import type { SearchField } from "./searchable-fields.ts";

/** How the text leg weighs: BM25F after Robertson and Zaragoza, with a share for the record's container. */
export interface TextWeights {
  /** How much an occurrence counts by field. */
  fields: Record<SearchField, number>;
  /** How far long fields are discounted, 0..1, by field. */
  lengthDiscounts: Record<SearchField, number>;
  /** Saturation of repeated terms. */
  k1: number;
  /** Share of the best that the record's container has for each word, its own hits included. */
  container: number;
  /** How fast that share falls with the size of the container, up to 32: divided by 1 + this times the binary logarithm of the size. */
  containerSizeDiscount: number;
  /** How much a term counts that is written much like a word that nothing has. */
  nearTerms: number;
}

/** Weights that were measured on labelled sets of tables and of tools. */
export const defaultTextWeights: TextWeights = {
  fields: {
    title: 3,
    path: 1,
    container: 1,
    tags: 1,
    kind: 0.5,
    description: 1,
    columns: 1,
    columnDetails: 1,
    examples: 1,
  },
  lengthDiscounts: {
    title: 0.5,
    path: 0.5,
    container: 0.5,
    tags: 0.5,
    kind: 0,
    description: 0.75,
    columns: 0.5,
    columnDetails: 0.5,
    examples: 0.5,
  },
  k1: 2,
  container: 0.8,
  containerSizeDiscount: 0.3,
  nearTerms: 0.5,
};
