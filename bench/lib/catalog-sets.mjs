// Labelled sets: folders with resources.jsonl, queries.jsonl and qrels.jsonl.
import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

const ownFolder = fileURLToPath(
  new URL("../../packages/catalog/src/evaluate/__fixtures__", import.meta.url),
);

/** The sets of a folder by name, each with its queries in two halves. The weights were chosen on `tune`. */
export function readSets(folder) {
  const names = fs
    .readdirSync(folder)
    .filter((name) => fs.existsSync(path.join(folder, name, "qrels.jsonl")))
    .sort();
  return names.map((name) => readSet(path.join(folder, name), name));
}

/** This project's own sets: Russian and mixed. */
export const readOwnSets = () => readSets(ownFolder);

function readSet(folder, name) {
  const records = readLines(path.join(folder, "resources.jsonl")).map(asRecord);
  const qrels = readLines(path.join(folder, "qrels.jsonl"));
  const queries = readLines(path.join(folder, "queries.jsonl"));
  const halves = { tune: [], test: [] };
  for (const query of queries) halves[query.split ?? halfOf(query.qid)].push(query);
  return { name, records, qrels, queries, halves };
}

function halfOf(qid) {
  return createHash("sha256").update(qid).digest()[0] % 2 === 0 ? "tune" : "test";
}

const readLines = (file) =>
  fs
    .readFileSync(file, "utf8")
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line));

function asRecord(fields) {
  const derived = { tags: [], schema_digest: [], cap: [], updated_at: "2026-01-01T00:00:00Z" };
  return { ...derived, schema_hash: "", cap_hash: "", rev: 1, ...fields };
}

const derivedFields = new Set(["schema_digest", "cap", "schema_hash", "cap_hash", "rev"]);

/** A record in the form in which users register it. */
export function inputOf(record) {
  return Object.fromEntries(Object.entries(record).filter(([field]) => !derivedFields.has(field)));
}

/** Up to that many items, evenly spread over a list. */
export function spread(list, most) {
  const step = Math.max(1, list.length / most);
  return Array.from(
    { length: Math.min(most, list.length) },
    (_, at) => list[Math.floor(at * step)],
  );
}

/** That many records: those of a set, then copies in other databases and servers with some columns renamed. */
export function multiplyRecords(records, count) {
  const made = [];
  for (let copy = 0; made.length < count; copy += 1) {
    for (const record of records.slice(0, count - made.length))
      made.push(copy === 0 ? record : varyRecord(record, copy));
  }
  return made;
}

function varyRecord(record, copy) {
  const cut = Math.max(record.id.lastIndexOf("/"), record.id.lastIndexOf("."));
  const rename = (column, at) =>
    (at + copy) % 7 === 0 ? { ...column, name: `${column.name}_${copy % 97}` } : column;
  return {
    ...record,
    id: `${record.id.slice(0, cut)}${copy}${record.id.slice(cut)}`,
    tags: record.tags.map((tag) => `${tag}${copy}`),
    ...(record.columns === undefined ? {} : { columns: record.columns.map(rename) }),
  };
}
