// Finds the ten nearest of many vectors: ours, and the libraries that people use otherwise.
import { mkdtemp, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";

import * as sqliteVec from "sqlite-vec";
import usearch from "usearch";

import { createMemorySearchIndex } from "../../packages/catalog/dist/index.js";
import { at, table } from "./figures.mjs";

const requireOfSql = createRequire(new URL("../../packages/sql/package.json", import.meta.url));
const limit = 10;
const questions = 50;
/** Vectors lie around this many centres, like those of texts around their subjects. */
const centres = 100;

/** By name, a function that takes vectors and returns `search(vector)`, which returns their numbers, and `close()`. */
const subjects = {
  "@ccl/catalog, float32": (vectors) => openInMemory(vectors, "float32"),
  "@ccl/catalog, int8": (vectors) => openInMemory(vectors, "int8"),
  "sqlite-vec (exact)": openSqliteVec,
  "usearch (HNSW)": openUsearch,
};

/** A row for each: build time, search time, and the share of the ten that are really nearest. */
export async function vectorTable(count, dimensions) {
  const lot = createLot();
  const middles = Array.from({ length: centres }, () => lot.vector(dimensions));
  const near = () => lot.near(middles[lot.below(centres)]);
  const vectors = Array.from({ length: count }, near);
  const asked = Array.from({ length: questions }, near);
  const truths = asked.map((vector) => nearestOf(vectors, vector));
  const rows = [];
  for (const [name, open] of Object.entries(subjects)) {
    const started = performance.now();
    const { search, close } = await open(vectors);
    const buildMs = performance.now() - started;
    await search(asked[0]);
    const times = [];
    let found = 0;
    for (const [index, vector] of asked.entries()) {
      const from = performance.now();
      const numbers = await search(vector);
      times.push(performance.now() - from);
      found += numbers.filter((number) => truths[index].has(number)).length;
    }
    await close();
    const recall = found / (questions * limit);
    rows.push([name, buildMs.toFixed(0), at(times, 0.5), at(times, 0.95), recall.toFixed(3)]);
  }
  return table(["", "build", "p50", "p95", "R@10"], rows);
}

const recordOf = (number) => ({
  id: String(number),
  kind: "tabular",
  title: "t",
  tags: [],
  schema_digest: [],
  cap: [],
  updated_at: "2026-01-01T00:00:00Z",
  schema_hash: "",
  cap_hash: "",
  rev: 1,
});

async function openInMemory(vectors, precision) {
  return filled(createMemorySearchIndex({ vectors: precision }), vectors, async () => undefined);
}

async function filled(index, vectors, close) {
  await index.put(vectors.map((vector, number) => ({ record: recordOf(number), vector })));
  const search = async (vector) =>
    (await index.searchVector({ vector, limit })).map(({ id }) => Number(id));
  return { search, close };
}

async function openSqliteVec(vectors) {
  const folder = await mkdtemp(join(tmpdir(), "ccl-bench-"));
  const { DatabaseSync } = requireOfSql("@photostructure/sqlite");
  const database = new DatabaseSync(join(folder, "vectors.db"), { allowExtension: true });
  database.enableLoadExtension(true);
  database.loadExtension(sqliteVec.getLoadablePath());
  const column = `vector float[${vectors[0].length}] distance_metric=cosine`;
  database.exec(
    `CREATE VIRTUAL TABLE vectors USING vec0(number integer primary key, ${column}); BEGIN`,
  );
  const insert = database.prepare("INSERT INTO vectors VALUES (?, ?)");
  for (const [number, vector] of vectors.entries()) insert.run(BigInt(number), bytesOf(vector));
  database.exec("COMMIT");
  const select = database.prepare(
    `SELECT number FROM vectors WHERE vector MATCH ? AND k = ${limit}`,
  );
  const search = async (vector) => select.all(bytesOf(vector)).map(({ number }) => Number(number));
  const close = async () => {
    database.close();
    await rm(folder, { recursive: true });
  };
  return { search, close };
}

const bytesOf = ({ buffer, byteOffset, byteLength }) =>
  new Uint8Array(buffer, byteOffset, byteLength);

async function openUsearch(vectors) {
  const index = new usearch.Index({
    metric: "cos",
    dimensions: vectors[0].length,
    quantization: "f32",
  });
  for (const [number, vector] of vectors.entries()) index.add(BigInt(number), vector);
  const search = async (vector) => Array.from(index.search(vector, limit, 1).keys, Number);
  return { search, close: async () => undefined };
}

function nearestOf(vectors, asked) {
  const scores = vectors.map((vector, number) => [number, cosine(vector, asked)]);
  return new Set(
    scores
      .sort(([, left], [, right]) => right - left)
      .slice(0, limit)
      .map(([number]) => number),
  );
}

function cosine(left, right) {
  let [product, leftSquares, rightSquares] = [0, 0, 0];
  for (let at = 0; at < left.length; at += 1) {
    product += left[at] * right[at];
    leftSquares += left[at] ** 2;
    rightSquares += right[at] ** 2;
  }
  return product / Math.sqrt(leftSquares * rightSquares);
}

/** Numbers that are the same in every run. */
function createLot() {
  let state = 7;
  const next = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  const vector = (dimensions) => Float32Array.from({ length: dimensions }, () => next() - 0.5);
  return {
    vector,
    below: (most) => Math.floor(next() * most),
    near: (middle) => middle.map((value) => value + (next() - 0.5) * 1.5),
  };
}
