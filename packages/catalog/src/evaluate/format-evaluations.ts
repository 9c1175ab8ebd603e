import type { Evaluation } from "./evaluate-catalog.ts";

/** Evaluations as Markdown tables, one row each under its name: ranking first, then budgets where some were measured. */
export function formatEvaluations(evaluations: Readonly<Record<string, Evaluation>>): string {
  const named = Object.entries(evaluations);
  const ranking = named.map(
    ([name, { queries, recallAt5, recallAt10, ndcgAt10, mrr, allAt10 }]) => [
      name,
      String(queries),
      ...[recallAt5, recallAt10, ndcgAt10, mrr, allAt10].map(share),
    ],
  );
  const budgets = named.flatMap(([name, evaluation]) =>
    evaluation.budgets.map(({ budget, tokens, recall, all, detailsRecall, detailsAll }) => [
      name,
      String(budget),
      String(Math.round(tokens)),
      ...[recall, all, detailsRecall, detailsAll].map(share),
    ]),
  );
  const tables = [table(["", "queries", "R@5", "R@10", "nDCG@10", "MRR", "All@10"], ranking)];
  if (budgets.length > 0) {
    const header = [
      "",
      "budget",
      "tokens used",
      "recall of rows",
      "all in rows",
      "recall of cards",
      "all in cards",
    ];
    tables.push(table(header, budgets));
  }
  return tables.join("\n\n");
}

function share(value: number): string {
  return value.toFixed(3);
}

function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const align = header.map((_, at) => (at === 0 ? "---" : "---:"));
  return [header, align, ...rows]
    .map((cells) => `| ${cells.map(escapeCell).join(" | ")} |`)
    .join("\n");
}

function escapeCell(cell: string): string {
  return cell.replaceAll("|", "\\|").replaceAll(/\s*\n\s*/g, " ");
}
