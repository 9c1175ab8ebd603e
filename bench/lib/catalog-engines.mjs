// Ways to search a catalog, ours and the libraries that one would take otherwise, each with its defaults.
import { create, insertMultiple, search as searchOrama } from "@orama/orama";
import FlexSearch from "flexsearch";
import MiniSearch from "minisearch";

import { createMemorySearchIndex, rankResources } from "../../packages/catalog/dist/index.js";

const fields = ["title", "description", "tags", "columns"];

/** What every engine gets to see of a record. */
const documentOf = (record) => ({
  id: record.id,
  title: record.title,
  description: record.description ?? "",
  tags: record.tags.join(" "),
  columns: (record.columns ?? []).map(({ name, label = "" }) => `${name} ${label}`).join(" "),
});

/** By name: `build(records)` gives `search(text, limit)`, which gives ids. */
export const engines = {
  "@ccl/catalog": async (records) => {
    const index = createMemorySearchIndex();
    await index.put(records.map((record) => ({ record })));
    const byId = new Map(records.map((record) => [record.id, record]));
    const lookup = async (ids) => ids.map((id) => byId.get(id));
    const clock = { now: () => 0 };
    return async (text, limit) => {
      const { hits } = await rankResources({ index, lookup, clock, text, limit });
      return hits.map(({ id }) => id);
    };
  },
  MiniSearch: async (records) => {
    const index = new MiniSearch({ fields });
    index.addAll(records.map(documentOf));
    return async (text, limit) =>
      index
        .search(text)
        .slice(0, limit)
        .map(({ id }) => id);
  },
  Orama: async (records) => {
    const schema = Object.fromEntries(fields.map((field) => [field, "string"]));
    const index = create({ schema });
    await insertMultiple(index, records.map(documentOf), 500);
    return async (text, limit) => {
      const { hits } = await searchOrama(index, { term: text, limit });
      return hits.map(({ id }) => id);
    };
  },
  FlexSearch: async (records) => {
    const index = new FlexSearch.Document({ document: { id: "id", index: fields } });
    for (const record of records) index.add(documentOf(record));
    return async (text, limit) => {
      const found = index.search(text, { limit, suggest: true, merge: true });
      return found.slice(0, limit).map(({ id }) => id);
    };
  },
};
