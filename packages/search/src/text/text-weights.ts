/**
 * How words are weighted: BM25F after Robertson and Zaragoza, plus a share from the document's
 * container.
 */
export interface TextWeights<Field extends string = string> {
  /** Weight of an occurrence, by field. */
  fields: Readonly<Record<Field, number>>;
  /** Discount of long fields, 0..1, by field. Defaults to 0.75. */
  lengthDiscounts?: Readonly<Partial<Record<Field, number>>> | undefined;
  /** Saturation of repeated terms. Defaults to 1.2. */
  k1?: number | undefined;
  /** Share of what the container's best documents score above the document itself. Defaults to 0. */
  container?: number | undefined;
  /**
   * How fast that share falls with the container's size, up to 32. The share is divided by 1 + this
   * times the binary logarithm of the size. Defaults to 0.3.
   */
  containerSizeDiscount?: number | undefined;
  /** Weight of a term spelt similarly to a word that is in no document. Defaults to 0.5. */
  nearTerms?: number | undefined;
}

/** Weights with all defaults filled in. Fields are in the order of their numbers. */
export interface ResolvedWeights {
  fields: { weight: number; lengthDiscount: number }[];
  k1: number;
  container: number;
  containerSizeDiscount: number;
  nearTerms: number;
}

/** Fills in the defaults. */
export function resolveWeights(weights: TextWeights): ResolvedWeights {
  const { k1 = 1.2, container = 0, containerSizeDiscount = 0.3, nearTerms = 0.5 } = weights;
  const fields = Object.entries(weights.fields).map(([name, weight]) => ({
    weight,
    lengthDiscount: weights.lengthDiscounts?.[name] ?? 0.75,
  }));
  return { fields, k1, container, containerSizeDiscount, nearTerms };
}
