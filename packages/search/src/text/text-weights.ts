/**
 * How words are weighted: BM25F after Robertson and Zaragoza, plus a share for the document's
 * container. The comment of each weight ends with its default.
 */
export interface TextWeights<Field extends string = string> {
  /** Weight of an occurrence, by field. */
  fields: Readonly<Record<Field, number>>;
  /** Discount of long fields, 0..1, by field. 0.75. */
  lengthDiscounts?: Readonly<Partial<Record<Field, number>>> | undefined;
  /** Saturation of repeated terms. 1.2. */
  k1?: number | undefined;
  /** Share of what the container's best documents score beyond the document itself. 0. */
  container?: number | undefined;
  /**
   * How fast that share falls with the size of the container, up to 32. It is divided by 1 + this
   * times the binary logarithm of the size. 0.3.
   */
  containerSizeDiscount?: number | undefined;
  /** Weight of a term that is spelt like a word that no document has. 0.5. */
  nearTerms?: number | undefined;
}

/** Weights with every default filled in. Fields are in the order of their numbers. */
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
