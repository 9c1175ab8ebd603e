import type { TextWeights } from "@ccl/search";

import type { SearchField } from "./searchable-fields.ts";

/** Weights measured on labelled sets of tables and of tools. */
const measuredWeights = {
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
  container: 0.5,
  containerSizeDiscount: 0.5,
} satisfies TextWeights<SearchField>;

/** Fills missing weights with the measured ones. Fields are in the order of a saved index. */
export function textWeightsOf(
  weights: Partial<TextWeights<SearchField>> = {},
): TextWeights<SearchField> {
  const fields = { ...measuredWeights.fields, ...weights.fields };
  return { ...measuredWeights, ...weights, fields };
}
