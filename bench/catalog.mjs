// Search over catalogs beside the libraries that one would take otherwise: quality, time, memory.
// CCL_CATALOG_DATA=FOLDER has labelled sets, a folder each: resources.jsonl, queries.jsonl, qrels.jsonl.
// CCL_CATALOG_SIZES=10000,100000 are the sizes at which time and memory are measured.
import { pathToFileURL } from "node:url";

import { evaluateCatalog, formatEvaluations } from "../packages/catalog/dist/index.js";
import { engines } from "./lib/catalog-engines.mjs";
import { multiplyRecords, readSets } from "./lib/catalog-sets.mjs";

const sizes = (process.env.CCL_CATALOG_SIZES ?? "10000,100000").split(",").map(Number);
const timedQueries = 200;
const slowSize = 20_000;
const slowQueries = 40;

/** The section of RESULTS.md. */
export async function run() {
  const folder = process.env.CCL_CATALOG_DATA;
  if (folder === undefined) throw new Error("Set CCL_CATALOG_DATA to the folder of the labelled sets.");
  const sets = readSets(folder);
  if (sets.length === 0) throw new Error(`${folder} has no labelled set.`);
  const evaluations = {};
  for (const set of sets) Object.assign(evaluations, await evaluateSet(set));
  const parts = [
    "Words alone, each engine with its defaults and the same fields. Weights were chosen on the half `tune`:",
    formatEvaluations(evaluations),
    `Records multiplied from each set, its own questions, ten hits. Milliseconds, after a first round; megabytes after collecting garbage${globalThis.gc === undefined ? " (not collected: run node with --expose-gc)" : ""}:`,
    await speedTable(sets),
  ];
  return { title: "Catalog search", markdown: parts.join("\n\n") };
}

async function evaluateSet({ name, records, qrels, halves }) {
  const evaluations = {};
  for (const [engine, build] of Object.entries(engines)) {
    const find = await build(records);
    const search = async ({ text, limit }) => ({ hits: (await find(text, limit)).map((id) => ({ id })) });
    for (const [half, queries] of Object.entries(halves)) {
      evaluations[`${name}, ${half}: ${engine}`] = await evaluateCatalog({ search }, { queries, qrels });
    }
  }
  return evaluations;
}

async function speedTable(sets) {
  const rows = [];
  for (const { name, records, queries } of sets) {
    for (const size of sizes) {
      const many = multiplyRecords(records, size);
      for (const [engine, build] of Object.entries(engines)) {
        rows.push([`${name}, ${size}: ${engine}`, ...(await timeEngine(build, many, queries))]);
      }
    }
  }
  return table(["", "build", "p50", "p95", "MB"], rows);
}

async function timeEngine(build, records, queries) {
  const before = usedBytes();
  const start = performance.now();
  const find = await build(records);
  const buildMs = performance.now() - start;
  const bytes = usedBytes() - before;
  const asked = queries.slice(0, records.length > slowSize ? slowQueries : timedQueries);
  const times = [];
  for (const isTimed of [false, true]) {
    for (const { text } of asked) {
      const from = performance.now();
      await find(text, 10);
      if (isTimed) times.push(performance.now() - from);
    }
  }
  times.sort((left, right) => left - right);
  const at = (share) => times[Math.floor((times.length - 1) * share)].toFixed(2);
  return [buildMs.toFixed(0), at(0.5), at(0.95), (bytes / 1e6).toFixed(0)];
}

function usedBytes() {
  globalThis.gc?.();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

function table(header, rows) {
  const line = (cells) => `| ${cells.join(" | ")} |`;
  return [line(header), line(["---", ...header.slice(1).map(() => "---:")]), ...rows.map(line)].join("\n");
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const { title, markdown } = await run();
  console.log(`${title}\n\n${markdown}`);
}
