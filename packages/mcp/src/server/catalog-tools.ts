import type { Catalog } from "@ccl/catalog";
import type { TokenCounter } from "@ccl/core";
import { arrayAt } from "@ccl/core/json";

import { readingTool, type ServerTool } from "./server-tool.ts";
import { openOnce, type Opener } from "./source.ts";

/** Creates `catalog_search` and `catalog_details`. */
export function catalogTools(
  open: Opener<CatalogReader>,
  counter: Opener<TokenCounter>,
): ServerTool[] {
  const openTools = openOnce(async () => {
    const { createCatalogTools } = await import("@ccl/catalog");
    return createCatalogTools(await open(), { counter: await counter() });
  });
  return [
    readingTool(
      {
        name: "catalog_search",
        title: "Search the catalog",
        description:
          "Finds tables, files, APIs and skills by words. Then read catalog_details, and ask query_run.",
        properties: {
          query: { type: "string", minLength: 1 },
          limit: { type: "integer", minimum: 1, maximum: 50 },
        },
        required: ["query"],
      },
      async (input, { signal }) => {
        const [search] = await openTools();
        return search.execute({ ...input, query: String(input["query"]) }, { signal });
      },
    ),
    readingTool(
      {
        name: "catalog_details",
        title: "Read cards of the catalog",
        description: "Gives columns, keys, snippets and what to avoid, by ids of catalog_search.",
        properties: {
          ids: { type: "array", items: { type: "string" }, maxItems: 10 },
          cursor: { type: "string" },
        },
        required: ["ids"],
      },
      async (input, { signal }) => {
        const [, details] = await openTools();
        const ids = arrayAt(input, "ids").map(String);
        return details.execute({ ...input, ids }, { signal });
      },
    ),
  ];
}

/** The methods of a catalog that a server needs. A snapshot has them too. */
export type CatalogReader = Pick<Catalog, "search" | "overview" | "details" | "budgetedContext">;
