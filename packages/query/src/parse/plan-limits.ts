/** Limits for documents written by a model. */
export const planLimits = {
  /** In UTF-16 code units. */
  textLength: 65_536,
  steps: 50,
  /** Maximum nesting depth of expressions and documents. */
  depth: 40,
  /** Total nodes in a plan's expressions, columns and keys. */
  nodes: 5_000,
};
