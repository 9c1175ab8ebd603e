/** Limits of a document that a model wrote. */
export const planLimits = {
  /** UTF-16 code units. */
  textLength: 65_536,
  steps: 50,
  /** How deep expressions and documents nest. */
  depth: 40,
  /** Nodes of all expressions, columns and keys of a plan. */
  nodes: 5_000,
};
