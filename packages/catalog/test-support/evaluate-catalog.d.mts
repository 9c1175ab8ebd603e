/** Grades above 0 by id. */
type Grades = ReadonlyMap<string, number>;

/** The part of `Catalog` that the evaluation needs. */
export interface EvaluatedCatalog {
  search(query: { text: string; limit: number }): Promise<{ hits: readonly { id: string }[] }>;
  budgetedContext?(request: { task: string; budget: number }): Promise<{
    overview: readonly { id: string }[];
    details: readonly { id: string }[];
    tokens: number;
  }>;
}

/** Means over the queries, each 0..1. */
interface RankingMetrics {
  recallAt5: number;
  recallAt10: number;
  ndcgAt10: number;
  mrr: number;
  allAt10: number;
}

export interface Evaluation extends RankingMetrics {
  queries: number;
  skipped: string[];
  budgets: {
    budget: number;
    recall: number;
    all: number;
    detailsRecall: number;
    detailsAll: number;
    tokens: number;
  }[];
  byQuery: (RankingMetrics & { qid: string })[];
}

export function evaluateCatalog(
  catalog: EvaluatedCatalog,
  options: {
    queries: readonly { qid: string; text: string }[];
    qrels: readonly { qid: string; rid: string; rel?: number | undefined }[];
    budgets?: readonly number[] | undefined;
  },
): Promise<Evaluation>;
export function formatEvaluations(evaluations: Readonly<Record<string, Evaluation>>): string;
export function recallAt(ids: readonly string[], grades: Grades, count: number): number;
export function ndcgAt(ids: readonly string[], grades: Grades, count: number): number;
export function reciprocalRank(ids: readonly string[], grades: Grades, count: number): number;
