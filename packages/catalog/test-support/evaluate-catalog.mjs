// Measures search, and contexts within budgets, on labelled questions. The bench and the tests of search quality use it.

const depth = 10;

export async function evaluateCatalog(catalog, { queries, qrels, budgets = [] }) {
  const graded = gradesByQuery(queries, qrels);
  const labelled = queries.flatMap(({ qid, text }) => {
    const grades = graded.get(qid);
    return grades === undefined ? [] : [{ qid, text, grades }];
  });
  if (labelled.length === 0) throw new Error("No query has a relevant resource.");
  const byQuery = [];
  for (const { qid, text, grades } of labelled) {
    const { hits } = await catalog.search({ text, limit: depth });
    byQuery.push({ qid, ...measure(idsOf(hits), grades) });
  }
  const measured = [];
  for (const budget of budgets) measured.push(await measureBudget(catalog, labelled, budget));
  const meanOf = (name) => mean(byQuery.map((query) => query[name]));
  return {
    queries: labelled.length,
    skipped: queries.filter(({ qid }) => !graded.has(qid)).map(({ qid }) => qid),
    recallAt5: meanOf("recallAt5"),
    recallAt10: meanOf("recallAt10"),
    ndcgAt10: meanOf("ndcgAt10"),
    mrr: meanOf("mrr"),
    allAt10: meanOf("allAt10"),
    budgets: measured,
    byQuery,
  };
}

function gradesByQuery(queries, qrels) {
  const known = new Set();
  for (const { qid } of queries) {
    if (known.has(qid)) throw new Error(`The query ${JSON.stringify(qid)} stands twice.`);
    known.add(qid);
  }
  const graded = new Map();
  for (const { qid, rid, rel = 1 } of qrels) {
    if (!(rel > 0) || !known.has(qid)) continue;
    const grades = graded.get(qid) ?? new Map();
    graded.set(qid, grades.set(rid, rel));
  }
  return graded;
}

function measure(ids, grades) {
  const recallAt10 = recallAt(ids, grades, depth);
  return {
    recallAt5: recallAt(ids, grades, 5),
    recallAt10,
    ndcgAt10: ndcgAt(ids, grades, depth),
    mrr: reciprocalRank(ids, grades, depth),
    allAt10: recallAt10 === 1 ? 1 : 0,
  };
}

async function measureBudget(catalog, labelled, budget) {
  const rows = [];
  const cards = [];
  const tokens = [];
  for (const { text, grades } of labelled) {
    const context = await catalog.budgetedContext({ task: text, budget });
    const recallOf = (items) => recallAt(idsOf(items), grades, items.length);
    rows.push(recallOf(context.overview));
    cards.push(recallOf(context.details));
    tokens.push(context.tokens);
  }
  const isAll = (recall) => (recall === 1 ? 1 : 0);
  return {
    budget,
    recall: mean(rows),
    all: mean(rows.map(isAll)),
    detailsRecall: mean(cards),
    detailsAll: mean(cards.map(isAll)),
    tokens: mean(tokens),
  };
}

/** The share of the relevant ids that are among the first ones. */
export function recallAt(ids, grades, count) {
  const found = ids.slice(0, count).filter((id) => grades.has(id));
  return new Set(found).size / grades.size;
}

/** Normalized discounted cumulative gain (Järvelin and Kekäläinen) with gains 2^grade - 1. A repeated id counts only at its first place. */
export function ndcgAt(ids, grades, count) {
  const gainOf = (grade) => 2 ** grade - 1;
  const discounted = (gains) =>
    gains.reduce((sum, gain, place) => sum + gain / Math.log2(place + 2), 0);
  const gains = [...new Set(ids)].slice(0, count).map((id) => gainOf(grades.get(id) ?? 0));
  const ideal = [...grades.values()]
    .map(gainOf)
    .sort((left, right) => right - left)
    .slice(0, count);
  return discounted(gains) / discounted(ideal);
}

/** The reciprocal rank of the first relevant id. 0 if none is among the first ones. */
export function reciprocalRank(ids, grades, count) {
  const at = ids.slice(0, count).findIndex((id) => grades.has(id));
  return at < 0 ? 0 : 1 / (at + 1);
}

const idsOf = (items) => items.map(({ id }) => id);
const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;

/** Renders evaluations as Markdown tables with one row each: ranking, then budgets if any were measured. */
export function formatEvaluations(evaluations) {
  const named = Object.entries(evaluations);
  const share = (value) => value.toFixed(3);
  const ranking = named.map(([name, evaluation]) => {
    const { queries, recallAt5, recallAt10, ndcgAt10, mrr, allAt10 } = evaluation;
    return [name, queries, ...[recallAt5, recallAt10, ndcgAt10, mrr, allAt10].map(share)];
  });
  const budgets = named.flatMap(([name, evaluation]) =>
    evaluation.budgets.map(({ budget, tokens, recall, all, detailsRecall, detailsAll }) => [
      name,
      budget,
      Math.round(tokens),
      ...[recall, all, detailsRecall, detailsAll].map(share),
    ]),
  );
  const tables = [table(["", "queries", "R@5", "R@10", "nDCG@10", "MRR", "All@10"], ranking)];
  const columns = "tokens used,recall of rows,all in rows,recall of cards,all in cards";
  if (budgets.length > 0) tables.push(table(["", "budget", ...columns.split(",")], budgets));
  return tables.join("\n\n");
}

function table(header, rows) {
  const align = header.map((_, at) => (at === 0 ? "---" : "---:"));
  const escaped = (cell) =>
    String(cell)
      .replaceAll("|", "\\|")
      .replaceAll(/\s*\n\s*/g, " ");
  return [header, align, ...rows]
    .map((cells) => `| ${cells.map(escaped).join(" | ")} |`)
    .join("\n");
}
