/** Factors of the score's terms, each term 0..1. */
export interface RankWeights {
  /** Takes the vector's factor over where there is no vector, or where it says nothing about what the text found. */
  text: number;
  vector: number;
  recency: number;
  capability: number;
  /** Subtracted. */
  cost: number;
  /** Share of a hit's score that a record gets which the hit's foreign keys name. */
  neighbour: number;
}

/**
 * 0.7 and 0.3 for text and vector measured better than halves on tables and on tools, by 0.02 to 0.04 of recall; the
 * other factors are those of the catalog's design.
 */
export const defaultRankWeights: RankWeights = {
  text: 0.7,
  vector: 0.3,
  recency: 0.2,
  capability: 0.3,
  cost: 0.1,
  neighbour: 0.7,
};
