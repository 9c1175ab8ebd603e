// Ways to search a catalog, ours and the libraries that people use otherwise, each with its defaults.
import { createRequire } from "node:module";

import { create, insertMultiple, search as searchOrama } from "@orama/orama";
import FlexSearch from "flexsearch";
import MiniSearch from "minisearch";

import { createMemorySearchIndex } from "../../packages/catalog/dist/index.js";
import { fromSource } from "./from-source.mjs";

const { rankResources } = await fromSource("packages/catalog/src/search/rank-resources.ts");

const requireOfSql = createRequire(new URL("../../packages/sql/package.json", import.meta.url));
const fields = ["title", "description", "tags", "columns"];

/** The text of a record that every engine receives. */
const documentOf = (record) => ({
  id: record.id,
  title: record.title,
  description: record.description ?? "",
  tags: record.tags.join(" "),
  columns: (record.columns ?? []).map(({ name, label = "" }) => `${name} ${label}`).join(" "),
});

/** Our search over any of its indexes. */
export function catalogEngine(index) {
  const byId = new Map();
  const lookup = async (ids) => ids.map((id) => byId.get(id));
  const clock = { now: () => 0 };
  return {
    async add(records) {
      for (const record of records) byId.set(record.id, record);
      await index.put(records.map((record) => ({ record })));
    },
    async search(text, limit) {
      const { hits } = await rankResources({ index, lookup, clock, text, limit });
      return hits.map(({ id }) => id);
    },
  };
}

/**
 * By name, a function that creates an empty engine with `add(records)` and `search(text, limit)`, which returns ids. If
 * the engine is not in this process's heap, it also has `sizeBytes()` and `close()`.
 */
export const engines = {
  "@ccl/catalog": () => catalogEngine(createMemorySearchIndex()),
  MiniSearch: () => {
    const index = new MiniSearch({ fields });
    return {
      add: async (records) => index.addAll(records.map(documentOf)),
      search: async (text, limit) =>
        index
          .search(text)
          .slice(0, limit)
          .map(({ id }) => id),
    };
  },
  Orama: () => {
    const schema = Object.fromEntries(fields.map((field) => [field, "string"]));
    const index = create({ schema });
    return {
      add: (records) => insertMultiple(index, records.map(documentOf), 500),
      async search(text, limit) {
        const { hits } = await searchOrama(index, { term: text, limit });
        return hits.map(({ id }) => id);
      },
    };
  },
  FlexSearch: () => {
    const index = new FlexSearch.Document({ document: { id: "id", index: fields } });
    return {
      async add(records) {
        for (const record of records) index.add(documentOf(record));
      },
      async search(text, limit) {
        const found = index.search(text, { limit, suggest: true, merge: true });
        return found.slice(0, limit).map(({ id }) => id);
      },
    };
  },
  "SQLite FTS5": openFullText,
};

/** In memory, with SQLite's own stemmer. Any word of the question may match. */
function openFullText() {
  const { DatabaseSync } = requireOfSql("@photostructure/sqlite");
  const database = new DatabaseSync(":memory:");
  database.exec(
    `CREATE VIRTUAL TABLE records USING fts5(id UNINDEXED, ${fields.join(", ")}, tokenize = 'porter')`,
  );
  const insert = database.prepare(`INSERT INTO records VALUES (?${", ?".repeat(fields.length)})`);
  const select = database.prepare(
    "SELECT id FROM records WHERE records MATCH ? ORDER BY rank LIMIT ?",
  );
  return {
    async add(records) {
      database.exec("BEGIN");
      for (const document of records.map(documentOf))
        insert.run(document.id, ...fields.map((field) => document[field]));
      database.exec("COMMIT");
    },
    async search(text, limit) {
      const words = text.match(/[\p{L}\p{N}]+/gu) ?? [];
      return select.all(words.map((word) => `"${word}"`).join(" OR "), limit).map(({ id }) => id);
    },
    sizeBytes: () => database.prepare("PRAGMA page_count").get().page_count * 4096,
    close: () => database.close(),
  };
}
