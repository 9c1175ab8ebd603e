import { createCatalogTools, type Catalog } from "@ccl/catalog";
import type { TokenCounter } from "@ccl/core";
import { arrayAt, numberAt, stringAt, withoutUndefined } from "@ccl/core/json";

import type { ServerTool } from "./server-tool.ts";

/** `catalog_search` and `catalog_details`. */
export function catalogTools(catalog: CatalogReader, counter: TokenCounter): ServerTool[] {
  const [search, details] = createCatalogTools(catalog, { counter });
  return [
    {
      name: "catalog_search",
      description: "Finds tables, files, APIs and skills by words.",
      inputSchema: {
        type: "object",
        properties: {
          text: { type: "string", minLength: 1 },
          limit: { type: "integer", minimum: 1, maximum: 50 },
        },
        required: ["text"],
      },
      annotations: { readOnlyHint: true },
      run: (input, { signal }) =>
        search.execute(
          withoutUndefined({ text: String(input["text"]), limit: numberAt(input, "limit") }),
          { signal },
        ),
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
      run: (input, { signal }) =>
        details.execute(
          withoutUndefined({
            ids: arrayAt(input, "ids").map(String),
            cursor: stringAt(input, "cursor"),
          }),
          { signal },
        ),
    },
  ];
}

/** The part of a catalog that a server needs; a snapshot has it too. */
export type CatalogReader = Pick<Catalog, "search" | "overview" | "details" | "budgetedContext">;
