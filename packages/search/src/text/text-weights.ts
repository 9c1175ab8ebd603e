/**
 * How words are weighed: BM25F after Robertson and Zaragoza, with a share for the document's container. Absent weights
 * have the value that their comment names.
 */
export interface TextWeights<Field extends string = string> {
  /** How much an occurrence counts, by field. */
  fields: Readonly<Record<Field, number>>;
  /** How far long fields are discounted, 0..1, by field; 0.75. */
  lengthDiscounts?: Readonly<Partial<Record<Field, number>>> | undefined;
  /** Saturation of repeated terms; 1.2. */
  k1?: number | undefined;
  /** Share of what the container's best documents have for the words beyond the document's own score; 0. */
  container?: number | undefined;
  /** How fast that share falls with the size of the container, up to 32: divided by 1 + this times the binary logarithm of the size; 0.3. */
  containerSizeDiscount?: number | undefined;
  /** How much a term counts that is written much like a word that no document has; 0.5. */
  nearTerms?: number | undefined;
}

/** Weights with nothing absent; fields in the order of their numbers. */
export interface ResolvedWeights {
  fields: { weight: number; lengthDiscount: number }[];
  k1: number;
  container: number;
  containerSizeDiscount: number;
  nearTerms: number;
}

/** Fills in what is absent. */
export function resolveWeights(weights: TextWeights): ResolvedWeights {
  const { k1 = 1.2, container = 0, containerSizeDiscount = 0.3, nearTerms = 0.5 } = weights;
  const fields = Object.entries(weights.fields).map(([name, weight]) => ({
    weight,
    lengthDiscount: weights.lengthDiscounts?.[name] ?? 0.75,
  }));
  return { fields, k1, container, containerSizeDiscount, nearTerms };
}
