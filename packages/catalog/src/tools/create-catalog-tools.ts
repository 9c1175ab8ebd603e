import { estimatedCounter, type TokenCounter, type ToolDefinition } from "@ccl/core";
import { jsonText } from "@ccl/core/json";
import type { FacetFilter } from "@ccl/search";
import { parseStructured } from "@ccl/structured-output";
import * as z from "zod";

import type { Principal } from "../access/access-options.ts";
import { shareBudget } from "../budget/share-budget.ts";
import { CatalogError } from "../catalog-error.ts";
import type { Catalog } from "../catalog/catalog.ts";
import { reasonsOf } from "./tool-forms.ts";
import { toolDetailsText } from "./tool-details-text.ts";
import { inertText } from "../record/inert-text.ts";

/** Options of `createCatalogTools`. */
export interface CatalogToolsOptions {
  /** The principal that the model acts for. The role `public` by default. The model cannot change it. */
  principal?: Principal | undefined;
  /** Maximum tokens of one answer. 1,500 by default. */
  maxTokens?: number | undefined;
  /** Token counter for `maxTokens`. By default an estimate. */
  counter?: TokenCounter | undefined;
}

/** Input of `catalog_search`. */
export interface SearchToolInput {
  query: string;
  facets?: FacetFilter | undefined;
  limit?: number | undefined;
}

/** Input of `catalog_details`. */
export interface DetailsToolInput {
  ids: string[];
  cursor?: string | undefined;
}

const searchInput = z.object({
  query: z.string().min(1).max(4_000).describe("What you need, in words."),
  facets: z
    .record(z.string().max(100), z.union([z.string(), z.array(z.string()).max(50)]))
    .exactOptional()
    .describe("For example kind, owner, lifecycle."),
  limit: z.number().int().min(1).max(50).exactOptional(),
});
const detailsInput = z.object({
  ids: z.array(z.string().max(600)).min(1).max(10).describe("Ids as catalog_search shows them."),
  cursor: z.string().max(100).exactOptional().describe("Where a card before was cut."),
});

/**
 * Creates the tools `catalog_search` and `catalog_details`. Both return text. For an invalid input,
 * the text explains the problem.
 */
export function createCatalogTools(
  catalog: Pick<Catalog, "search" | "overview" | "details">,
  options: CatalogToolsOptions = {},
): [ToolDefinition<SearchToolInput, string>, ToolDefinition<DetailsToolInput, string>] {
  const { principal, maxTokens = 1_500, counter = estimatedCounter } = options;
  const { usable } = shareBudget(maxTokens, {}, counter);
  const who = principal === undefined ? {} : { principal };
  const fit = (lines: readonly string[]): string => {
    for (let count = lines.length; count > 0; count--) {
      const rest = lines.length - count;
      const mark = rest > 0 ? [`[cut: ${rest} of ${lines.length} entries; ask for fewer]`] : [];
      const text = [...lines.slice(0, count), ...mark].join("\n");
      if (counter.count(text) <= usable) return text;
    }
    return lines.length === 0 ? "" : "[cut: nothing fits]";
  };
  return [
    toolOf(searchInput, {
      name: "catalog_search",
      description:
        "Finds data sources, APIs and skills by words. Answers with one line each, best first: id | kind | title: fields. " +
        "Read the details of the best before you use them.",
      async run({ query, facets, limit = 20 }, signal) {
        const call = { ...who, signal };
        const found = await catalog.search({ text: query, limit, facets, ...call });
        const ids = found.hits.map(({ id }) => id);
        const selection = ids.length > 0 ? { ids } : { facets };
        const { items } = await catalog.overview({ ...selection, pageSize: limit, ...call });
        const lines = items.map(({ id, kind, title, schema_digest }) => {
          const fields = schema_digest.length > 0 ? `: ${schema_digest.join(" ")}` : "";
          return inertText(`${id} | ${kind} | ${title}${fields}`, 700);
        });
        const missed = found.unmatchedTerms.slice(0, 10).map((term) => inertText(term, 40));
        const note = missed.length === 0 ? [] : [`[no resource has: ${missed.join(", ")}]`];
        return fit([...note, ...lines]);
      },
    }),
    toolOf(detailsInput, {
      name: "catalog_details",
      description:
        "Gives the details of resources: columns, snippets of working code, what to avoid, what can be pushed down. Long cards " +
        "are cut and give a cursor; pass it with that id alone to go on.",
      async run({ ids, cursor }, signal) {
        const { items, missing } = await catalog.details(ids, { cursor, ...who, signal });
        const absent = missing.map(async (id) => {
          const { hits } = await catalog.search({ text: id, limit: 3, ...who, signal });
          const near = hits.map((hit) => inertText(hit.id, 200)).join(", ");
          const nearest = near === "" ? "" : `; nearest: ${near}`;
          return `[no resource ${JSON.stringify(inertText(id, 80))}${nearest}]`;
        });
        return fit([...items.map(toolDetailsText), ...(await Promise.all(absent))]);
      },
    }),
  ];
}

/** Creates a tool that explains what is wrong if its input is invalid. */
function toolOf<Input>(
  schema: z.ZodType<Input>,
  {
    run,
    ...described
  }: Pick<ToolDefinition, "name" | "description"> & {
    run(input: Input, signal: AbortSignal | undefined): Promise<string>;
  },
): ToolDefinition<Input, string> {
  return {
    ...described,
    inputSchema: z.toJSONSchema(schema, { io: "input" }),
    async execute(input, { signal }) {
      const read = parseStructured(jsonText(input), { schema });
      if (!read.ok) return `[the input does not fit: ${reasonsOf(read.issues)}]`;
      try {
        return await run(read.value, signal);
      } catch (error) {
        if (CatalogError.isInstance(error) && error.code === "invalid_options")
          return `[${inertText(error.message, 400)}]`;
        throw error;
      }
    },
  };
}
