import { describe, expect, it } from "vitest";

import {
  evaluateCatalog,
  type EvaluatedCatalog,
  formatEvaluations,
} from "../../test-support/evaluate-catalog.mjs";

const answers: Record<string, string[]> = { first: ["a", "x", "b"], second: ["x", "c"], third: [] };
const catalog: EvaluatedCatalog = {
  search: async ({ text, limit }) => ({
    hits: (answers[text] ?? []).slice(0, limit).map((id) => ({ id })),
  }),
  budgetedContext: async ({ task, budget }) => {
    const rows = (answers[task] ?? []).slice(0, budget / 100).map((id) => ({ id }));
    return { overview: rows, details: rows.slice(0, 1), tokens: rows.length * 90 };
  },
};
const queries = [
  { qid: "1", text: "first" },
  { qid: "2", text: "second" },
  { qid: "3", text: "third" },
  { qid: "4", text: "unlabelled" },
];
const qrels = [
  { qid: "1", rid: "a" },
  { qid: "1", rid: "b", rel: 1 },
  { qid: "2", rid: "c", rel: 1 },
  { qid: "3", rid: "d", rel: 1 },
  { qid: "4", rid: "e", rel: 0 },
  { qid: "unknown", rid: "e", rel: 1 },
];

describe("evaluateCatalog", () => {
  it("returns means over the labelled queries and prints them", async () => {
    const evaluation = await evaluateCatalog(catalog, { queries, qrels, budgets: [100, 300] });
    expect(evaluation.skipped).toEqual(["4"]);
    expect(evaluation.byQuery.map(({ qid, recallAt10 }) => [qid, recallAt10])).toEqual([
      ["1", 1],
      ["2", 1],
      ["3", 0],
    ]);
    expect(formatEvaluations({ "own | set": evaluation })).toMatchInlineSnapshot(`
      "|  | queries | R@5 | R@10 | nDCG@10 | MRR | All@10 |
      | --- | ---: | ---: | ---: | ---: | ---: | ---: |
      | own \\| set | 3 | 0.667 | 0.667 | 0.517 | 0.500 | 0.667 |

      |  | budget | tokens used | recall of rows | all in rows | recall of cards | all in cards |
      | --- | ---: | ---: | ---: | ---: | ---: | ---: |
      | own \\| set | 100 | 60 | 0.167 | 0.000 | 0.167 | 0.000 |
      | own \\| set | 300 | 150 | 0.667 | 0.667 | 0.167 | 0.000 |"
    `);
  });

  it.each([
    ["relevant", { queries: [{ qid: "9", text: "first" }], qrels }],
    ["twice", { queries: [...queries, { qid: "1", text: "second" }], qrels }],
  ])("rejects questions that it cannot measure: %s", async (problem, options) => {
    await expect(evaluateCatalog(catalog, options)).rejects.toThrow(problem);
  });
});
