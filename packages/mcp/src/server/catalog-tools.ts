import type { Catalog } from "@ccl/catalog";
import type { TokenCounter } from "@ccl/core";
import { arrayAt, numberAt, stringAt, withoutUndefined } from "@ccl/core/json";

import type { ServerTool } from "./server-tool.ts";
import { openOnce, type Opener } from "./source.ts";

/** `catalog_search` and `catalog_details`. */
export function catalogTools(
  open: Opener<CatalogReader>,
  counter: Opener<TokenCounter>,
): ServerTool[] {
  const openTools = openOnce(async () => {
    const { createCatalogTools } = await import("@ccl/catalog");
    return createCatalogTools(await open(), { counter: await counter() });
  });
  return [
    {
      name: "catalog_search",
      description: "Finds tables, files, APIs and skills by words.",
      inputSchema: {
        type: "object",
        properties: {
          query: { type: "string", minLength: 1 },
          limit: { type: "integer", minimum: 1, maximum: 50 },
        },
        required: ["query"],
      },
      annotations: { readOnlyHint: true },
      async run(input, { signal }) {
        const [search] = await openTools();
        const query = String(input["query"]);
        const asked = withoutUndefined({ query, limit: numberAt(input, "limit") });
        return await search.execute(asked, { signal });
      },
    },
    {
      name: "catalog_details",
      description: "Gives columns, keys, snippets and what to avoid, by ids of catalog_search.",
      inputSchema: {
        type: "object",
        properties: {
          ids: { type: "array", items: { type: "string" }, maxItems: 10 },
          cursor: { type: "string" },
        },
        required: ["ids"],
      },
      annotations: { readOnlyHint: true },
      async run(input, { signal }) {
        const [, details] = await openTools();
        const ids = arrayAt(input, "ids").map(String);
        const asked = withoutUndefined({ ids, cursor: stringAt(input, "cursor") });
        return await details.execute(asked, { signal });
      },
    },
  ];
}

/** The part of a catalog that a server needs. A snapshot has it too. */
export type CatalogReader = Pick<Catalog, "search" | "overview" | "details" | "budgetedContext">;
