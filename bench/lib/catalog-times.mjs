// Time and memory of ways to search by words.
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

import { engines } from "./catalog-engines.mjs";
import { multiplyRecords, spread } from "./catalog-sets.mjs";
import { at, medianOf, table } from "./figures.mjs";

/** Above this size, only the first set is measured. */
const slowSize = 20_000;
const questions = 100;
/**
 * How often each question is repeated after a first round. Neither that round nor the others together take longer than
 * this.
 */
const rounds = 5;
const longestMs = 1_500;
/** Records that are added after the others, one call each. */
const lateRecords = 20;

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc");

/** Measures time and memory, a row for each set, size and engine. */
export async function measureSpeed(sets, sizes) {
  const rows = [];
  for (const size of sizes) {
    for (const { name, records, queries } of size > slowSize ? sets.slice(0, 1) : sets) {
      const many = multiplyRecords(records, size + lateRecords);
      const asked = spread(queries, questions);
      for (const [engine, open] of Object.entries(engines)) {
        rows.push({ set: name, size, engine, ...(await measureEngine(open, many, asked)) });
      }
    }
  }
  return rows;
}

/** The rows as Markdown. */
export function speedTable(rows) {
  const header = ["", "build", "add one", "p50", "p95", "MB", "questions"];
  const cells = ({ set, size, engine, buildMs, addMs, askMs, bytes }) => [
    `${set}, ${size}: ${engine}`,
    buildMs.toFixed(0),
    addMs.toFixed(2),
    at(askMs, 0.5),
    at(askMs, 0.95),
    (bytes / 1e6).toFixed(0),
    String(askMs.length),
  ];
  return table(header, rows.map(cells));
}

async function measureEngine(open, records, asked) {
  const before = usedBytes();
  const { add, search, sizeBytes, close } = await open();
  const buildMs = await timeOf(() => add(records.slice(0, -lateRecords)));
  const bytes = (await sizeBytes?.()) ?? usedBytes() - before;
  const addMs = [];
  for (const record of records.slice(-lateRecords)) addMs.push(await timeOf(() => add([record])));
  const askMs = await timesOf(asked, ({ text }) => search(text, 10));
  await close?.();
  return { buildMs, addMs: medianOf(addMs), askMs, bytes };
}

/** The median time of each question. If the time runs out, only of those that were asked. */
async function timesOf(asked, ask) {
  const times = asked.map(() => []);
  let until = performance.now() + longestMs;
  for (let round = 0; round <= rounds; round += 1) {
    for (const [number, question] of asked.entries()) {
      if (performance.now() > until) break;
      const took = await timeOf(() => ask(question));
      if (round > 0) times[number].push(took);
    }
    if (round === 0) until = performance.now() + longestMs;
  }
  return times.filter((list) => list.length > 0).map(medianOf);
}

async function timeOf(action) {
  const from = performance.now();
  await action();
  return performance.now() - from;
}

function usedBytes() {
  collectGarbage();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}
