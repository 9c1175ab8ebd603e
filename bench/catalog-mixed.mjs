// Measures one catalogue of everything: the share of the right resources in the top ten, for each labelled set alone
// and in a catalogue with all sets, next to a plain BM25F in the same run and two controls that must fail. `node
// bench/catalog-mixed.mjs --data DIR [--half tune|test] [--json]`; DIR has a folder for each set. It derives a
// warehouse of wide tables from sets of tables: each table gets columns with its neighbours' names, and sixteen
// databases share one schema.
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";

import { createMemorySearchIndex } from "../packages/catalog/dist/index.js";
import { plainBm25f } from "./lib/plain-bm25f.mjs";
import { readOwnSets, readSets } from "./lib/catalog-sets.mjs";
import { fromSource } from "./lib/from-source.mjs";

const { rankResources } = await fromSource("packages/catalog/src/search/rank-resources.ts");

const depth = 10;
/** Databases that a derived schema joins, and columns that its tables get in addition. */
const joined = 64;
const extraColumns = 30;

/** Recall at ten by set and kind of query. */
export async function measure({ data, half }) {
  const sets = [...readSets(data), ...readOwnSets()].map((set) => ({
    ...set,
    asked: half === undefined ? set.queries : set.halves[half],
  }));
  const wide = sets.flatMap((set) => toWarehouse(set) ?? toFunctions(set) ?? []);
  const alike = new Set(wide.map(({ of }) => of));
  const catalogues = {
    mixed: sets,
    "mixed, wide": [...sets.filter(({ name }) => !alike.has(name)), ...wide],
  };
  const rows = [];
  for (const set of [...sets, ...wide]) rows.push(...(await measureCatalogue("alone", [set])));
  for (const [name, members] of Object.entries(catalogues))
    rows.push(...(await measureCatalogue(name, members)));
  return rows;
}

async function measureCatalogue(catalogue, sets) {
  const records = sets.flatMap((set) => set.records);
  const index = createMemorySearchIndex();
  await index.put(records.map((record) => ({ record })));
  const byId = new Map(records.map((record) => [record.id, record]));
  const lookup = async (ids) => ids.flatMap((id) => byId.get(id) ?? []);
  const clock = { now: () => 0 };
  const plain = plainBm25f(records);
  const ours = async (text) => {
    const { hits } = await rankResources({ index, lookup, clock, text, limit: depth });
    return hits.map(({ id }) => id);
  };
  const rows = [];
  for (const { name, asked, qrels } of sets) {
    const relevant = new Map();
    for (const { qid, rid, rel = 1 } of qrels)
      if (rel > 0) relevant.set(qid, [...(relevant.get(qid) ?? []), rid]);
    const queries = asked.filter(({ qid }) => relevant.has(qid));
    const recall = async (find) => {
      let sum = 0;
      for (const [at, { qid, text }] of queries.entries()) {
        const wanted = relevant.get(qid);
        const found = new Set(await find(text, at));
        sum += wanted.filter((id) => found.has(id)).length / wanted.length;
      }
      return sum / queries.length;
    };
    const other = (at) => queries[(at + Math.floor(queries.length / 2)) % queries.length].text;
    rows.push({
      catalogue,
      set: name,
      records: records.length,
      queries: queries.length,
      ours: await recall(ours),
      bm25f: await recall(async (text) => plain(text, depth)),
      otherQuestion: await recall((_, at) => ours(other(at))),
      anyTen: await recall(async (_, at) => drawTen(records, at)),
    });
  }
  return rows;
}

function drawTen(records, at) {
  let state = at + 1;
  return Array.from({ length: depth }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return records[state % records.length].id;
  });
}

/** Undefined if the set does not consist of database tables. */
function toWarehouse(set) {
  const tables = set.records.filter(({ id }) => /^res:db\.[^.]+\.[^.]+$/.test(id));
  if (tables.length < set.records.length) return undefined;
  const databases = [...new Set(tables.map(({ id }) => id.split(".")[1]))].sort();
  const idOf = (id) => {
    const [, database, table] = id.split(".");
    const schema = Math.floor(databases.indexOf(database) / joined);
    return `res:db.warehouse_${schema}.${database}_${table}`;
  };
  const columns = tables.flatMap((table) => table.columns ?? []);
  const records = tables.map((table, at) => ({
    ...table,
    id: idOf(table.id),
    tags: [idOf(table.id).split(".")[1]],
    columns: [
      ...(table.columns ?? []),
      ...Array.from(
        { length: extraColumns },
        (_, more) => columns[(at * 131 + more * 977) % columns.length],
      ),
    ],
  }));
  const qrels = set.qrels.map((label) => ({ ...label, rid: idOf(label.rid) }));
  return [{ ...set, name: `${set.name}, wide`, of: set.name, records, qrels }];
}

/** Undefined if the set does not consist of tools on servers. Each tool becomes a separate function. */
function toFunctions(set) {
  if (!set.records.every(({ id }) => /^api:.+\/.+\/.+/.test(id))) return undefined;
  const numbers = new Map(set.records.map(({ id }, at) => [id, at]));
  const idOf = (id) => `fn:${numbers.get(id)}/${id.slice(id.lastIndexOf("/") + 1)}`;
  const records = set.records.map((record) => ({ ...record, id: idOf(record.id), tags: [] }));
  const qrels = set.qrels.map((label) => ({ ...label, rid: idOf(label.rid) }));
  return [{ ...set, name: `${set.name}, apart`, of: set.name, records, qrels }];
}

/** Fails if the mixed catalogue is below the plain ranking, or a control finds what it must not find. */
export function problemsOf(rows) {
  return rows.flatMap(({ catalogue, set, ours, bm25f, otherQuestion, anyTen }) => [
    ...(ours < bm25f ? [`${catalogue}, ${set}: ${ours.toFixed(3)} < ${bm25f.toFixed(3)}`] : []),
    ...(otherQuestion > ours / 2 ? [`${catalogue}, ${set}: other questions find it`] : []),
    ...(anyTen > 0.2 ? [`${catalogue}, ${set}: any ten find it`] : []),
  ]);
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const { values } = parseArgs({
    options: { data: { type: "string" }, half: { type: "string" }, json: { type: "boolean" } },
  });
  if (values.data === undefined) throw new Error("Pass --data DIR.");
  const rows = await measure(values);
  if (values.json === true) console.log(JSON.stringify(rows));
  else {
    const three = (value) => (typeof value === "number" ? Number(value.toFixed(3)) : value);
    console.table(
      rows.map((row) =>
        Object.fromEntries(Object.entries(row).map(([name, value]) => [name, three(value)])),
      ),
    );
  }
  const problems = problemsOf(rows);
  for (const problem of problems) console.error(problem);
  process.exitCode = problems.length === 0 ? 0 : 1;
}
