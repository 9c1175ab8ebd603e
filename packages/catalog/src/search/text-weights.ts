import type { TextWeights } from "@ccl/search";

import type { SearchField } from "./searchable-fields.ts";

/** Weights measured on labelled sets of tables and of tools. Fields are in the order of a saved index. */
export const textWeights: TextWeights<SearchField> = {
  fields: {
    title: 3,
    path: 1,
    container: 1,
    tags: 1,
    kind: 0.5,
    description: 2,
    columns: 1,
    columnDetails: 0.2,
    examples: 1,
  },
  lengthDiscounts: {
    title: 0.5,
    path: 0.5,
    container: 0.5,
    tags: 0.5,
    kind: 0,
    description: 0.75,
    columns: 0.65,
    columnDetails: 0.5,
    examples: 0.5,
  },
  k1: 2,
  container: 0.5,
  containerSizeDiscount: 0.5,
};
