import { throwIfAborted } from "@ccl/core/async";
import { CatalogError } from "../catalog-error.ts";
import { ndcgAt, recallAt, reciprocalRank, type Grades } from "./ranking-metrics.ts";

/** What of a catalog is measured; a `Catalog` fits. */
export interface EvaluatedCatalog {
  search(query: {
    text: string;
    limit: number;
    signal?: AbortSignal | undefined;
  }): Promise<{ hits: readonly { id: string }[] }>;
  /** Needed for budgets. Rows and cards that went into the context. */
  budgetedContext?(request: {
    task: string;
    budget: number;
    signal?: AbortSignal | undefined;
  }): Promise<{
    overview: readonly { id: string }[];
    details: readonly { id: string }[];
    tokens: number;
  }>;
}

/** Questions, and which resources answer them. */
export interface EvaluateOptions {
  queries: readonly { qid: string; text: string }[];
  /** `rel` above 0 is relevant, more is better; 1 where absent. */
  qrels: readonly { qid: string; rid: string; rel?: number | undefined }[];
  /** Tokens. */
  budgets?: readonly number[] | undefined;
  signal?: AbortSignal | undefined;
}

/** Means over the queries, each 0..1. */
interface RankingMetrics {
  recallAt5: number;
  recallAt10: number;
  ndcgAt10: number;
  /** Mean reciprocal rank over the first 10. */
  mrr: number;
  /** Share of the queries all of whose resources are among the first 10. */
  allAt10: number;
}

/** What contexts of one budget hold, as means over the queries. */
interface BudgetMetrics {
  budget: number;
  /** Share of the relevant resources with a row. */
  recall: number;
  /** Share of the queries all of whose resources have a row. */
  all: number;
  /** Share of the relevant resources with a card. */
  detailsRecall: number;
  detailsAll: number;
  tokens: number;
}

/** What was measured. */
export interface Evaluation extends RankingMetrics {
  /** Queries that count. */
  queries: number;
  /** Queries without a relevant resource, which do not count. */
  skipped: string[];
  budgets: BudgetMetrics[];
  /** In the order of the queries. */
  byQuery: (RankingMetrics & { qid: string })[];
}

const depth = 10;

/**
 * Measures search, and contexts where budgets are given, on labelled questions. Throws `invalid_options` where no query
 * has a relevant resource, a query stands twice, or budgets are given for a catalog without contexts.
 */
export async function evaluateCatalog(
  catalog: EvaluatedCatalog,
  options: EvaluateOptions,
): Promise<Evaluation> {
  const { queries, budgets = [], signal } = options;
  const graded = gradesByQuery(options);
  const labelled = queries.flatMap(({ qid, text }) => {
    const grades = graded.get(qid);
    return grades === undefined ? [] : [{ qid, text, grades }];
  });
  if (labelled.length === 0) {
    throw new CatalogError(
      "invalid_options",
      "No query has a relevant resource; do the qids of queries and qrels match?",
    );
  }
  const byQuery: (RankingMetrics & { qid: string })[] = [];
  for (const { qid, text, grades } of labelled) {
    throwIfAborted(signal, CatalogError);
    const { hits } = await catalog.search({
      text,
      limit: depth,
      signal,
    });
    byQuery.push({
      qid,
      ...measure(
        hits.map(({ id }) => id),
        grades,
      ),
    });
  }
  const measured: BudgetMetrics[] = [];
  for (const budget of budgets)
    measured.push(await measureBudget(catalog, { labelled, budget, signal }));
  return {
    queries: labelled.length,
    skipped: queries.filter(({ qid }) => !graded.has(qid)).map(({ qid }) => qid),
    recallAt5: mean(byQuery.map(({ recallAt5 }) => recallAt5)),
    recallAt10: mean(byQuery.map(({ recallAt10 }) => recallAt10)),
    ndcgAt10: mean(byQuery.map(({ ndcgAt10 }) => ndcgAt10)),
    mrr: mean(byQuery.map(({ mrr }) => mrr)),
    allAt10: mean(byQuery.map(({ allAt10 }) => allAt10)),
    budgets: measured,
    byQuery,
  };
}

function gradesByQuery({ queries, qrels }: EvaluateOptions): Map<string, Grades> {
  const known = new Set<string>();
  for (const { qid } of queries) {
    if (known.has(qid))
      throw new CatalogError("invalid_options", `The query ${JSON.stringify(qid)} stands twice.`);
    known.add(qid);
  }
  const graded = new Map<string, Map<string, number>>();
  for (const { qid, rid, rel = 1 } of qrels) {
    if (!(rel > 0) || !known.has(qid)) continue;
    const grades = graded.get(qid) ?? new Map<string, number>();
    graded.set(qid, grades.set(rid, rel));
  }
  return graded;
}

function measure(ids: readonly string[], grades: Grades): RankingMetrics {
  const recallAt10 = recallAt(ids, grades, depth);
  return {
    recallAt5: recallAt(ids, grades, 5),
    recallAt10,
    ndcgAt10: ndcgAt(ids, grades, depth),
    mrr: reciprocalRank(ids, grades, depth),
    allAt10: recallAt10 === 1 ? 1 : 0,
  };
}

async function measureBudget(
  catalog: EvaluatedCatalog,
  {
    labelled,
    budget,
    signal,
  }: {
    labelled: readonly { text: string; grades: Grades }[];
    budget: number;
    signal: AbortSignal | undefined;
  },
): Promise<BudgetMetrics> {
  if (catalog.budgetedContext === undefined) {
    throw new CatalogError(
      "invalid_options",
      "Budgets are given, but the catalog has no `budgetedContext`.",
    );
  }
  const rows: number[] = [];
  const cards: number[] = [];
  const tokens: number[] = [];
  for (const { text, grades } of labelled) {
    throwIfAborted(signal, CatalogError);
    const context = await catalog.budgetedContext({
      task: text,
      budget,
      signal,
    });
    rows.push(recallOf(context.overview, grades));
    cards.push(recallOf(context.details, grades));
    tokens.push(context.tokens);
  }
  return {
    budget,
    recall: mean(rows),
    all: mean(rows.map(isAll)),
    detailsRecall: mean(cards),
    detailsAll: mean(cards.map(isAll)),
    tokens: mean(tokens),
  };
}

function recallOf(items: readonly { id: string }[], grades: Grades): number {
  return recallAt(
    items.map(({ id }) => id),
    grades,
    items.length,
  );
}

function isAll(recall: number): number {
  return recall === 1 ? 1 : 0;
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
