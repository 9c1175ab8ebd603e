// Time and memory of ways to search by words.
import { engines } from "./catalog-engines.mjs";
import { multiplyRecords } from "./catalog-sets.mjs";
import { storedEngines } from "./catalog-stored.mjs";
import { at, table } from "./catalog-table.mjs";

/** At most so many records for indexes in databases. */
const storedSize = 10_000;
/** Beyond it fewer questions, and of the sets the first only. */
const slowSize = 20_000;
const [questions, slowQuestions] = [50, 10];
/** Records that come after the others, one call each. */
const lateRecords = 20;

/** A row for each set, size and engine. */
export async function speedTable(sets, sizes) {
  const rows = [];
  for (const size of sizes) {
    for (const { name, records, queries } of size > slowSize ? sets.slice(0, 1) : sets) {
      const many = multiplyRecords(records, size + lateRecords);
      const asked = queries.slice(0, size > slowSize ? slowQuestions : questions);
      const subjects = { ...engines, ...(size > storedSize ? {} : storedEngines) };
      for (const [engine, open] of Object.entries(subjects)) {
        rows.push([`${name}, ${size}: ${engine}`, ...(await timeEngine(open, many, asked))]);
      }
    }
  }
  return table(["", "build", "add one", "p50", "p95", "MB"], rows);
}

async function timeEngine(open, records, asked) {
  const before = usedBytes();
  const { add, search, close } = await open();
  const [buildMs] = await timesOf([records.slice(0, -lateRecords)], add);
  const bytes = usedBytes() - before;
  const addMs = await timesOf(records.slice(-lateRecords), (record) => add([record]));
  const ask = ({ text }) => search(text, 10);
  await timesOf(asked, ask);
  const askMs = await timesOf(asked, ask);
  await close?.();
  return [buildMs.toFixed(0), at(addMs, 0.5), at(askMs, 0.5), at(askMs, 0.95), (bytes / 1e6).toFixed(0)];
}

async function timesOf(items, action) {
  const times = [];
  for (const item of items) {
    const from = performance.now();
    await action(item);
    times.push(performance.now() - from);
  }
  return times;
}

function usedBytes() {
  globalThis.gc?.();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}
