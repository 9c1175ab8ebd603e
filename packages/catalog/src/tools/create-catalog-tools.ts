import { estimatedCounter, type TokenCounter, type ToolDefinition } from "@ccl/core";
import type { FacetFilter } from "@ccl/search";
import * as z from "zod";

import type { Principal } from "../access/access-options.ts";
import { shareBudget } from "../budget/share-budget.ts";
import { CatalogError } from "../catalog-error.ts";
import type { Catalog } from "../catalog/catalog.ts";
import { toolDetailsText } from "./tool-details-text.ts";
import { inertText } from "../record/inert-text.ts";

/** How a model reaches a catalog. */
export interface CatalogToolsOptions {
  /** Who the model acts for; the role `public` where absent. The model can't change it. */
  principal?: Principal | undefined;
  /** Tokens of one answer; 1,500 where absent. */
  maxTokens?: number | undefined;
  /** An estimate where absent. */
  counter?: TokenCounter | undefined;
}

/** What `search_resources` takes. */
export interface SearchToolInput {
  text: string;
  facets?: FacetFilter | undefined;
  limit?: number | undefined;
}

/** What `resource_details` takes. */
export interface DetailsToolInput {
  ids: string[];
  cursor?: string | undefined;
}

const searchInput = z.object({
  text: z.string().min(1).max(4_000).describe("What you need, in words."),
  facets: z
    .record(z.string().max(100), z.union([z.string(), z.array(z.string()).max(50)]))
    .exactOptional()
    .describe("For example kind, owner, lifecycle."),
  limit: z.number().int().min(1).max(50).exactOptional(),
});
const detailsInput = z.object({
  ids: z.array(z.string().max(600)).min(1).max(10).describe("Ids as search_resources shows them."),
  cursor: z.string().max(100).exactOptional().describe("Where a card before was cut."),
});

/** The tools `search_resources` and `resource_details`; both answer with text, and say in it what is wrong with an input. */
export function createCatalogTools(
  catalog: Pick<Catalog, "search" | "overview" | "details">,
  options: CatalogToolsOptions = {},
): [ToolDefinition<SearchToolInput, string>, ToolDefinition<DetailsToolInput, string>] {
  const { principal, maxTokens = 1_500, counter = estimatedCounter } = options;
  const { usable } = shareBudget(maxTokens, {}, counter);
  const who = principal === undefined ? {} : { principal };
  const fit = (lines: readonly string[]): string => fitLines(lines, { counter, usable });
  return [
    {
      name: "search_resources",
      description:
        "Finds data sources, APIs and skills by words. Answers with one line each, best first: id | kind | title: fields. " +
        "Read the details of the best before you use them.",
      inputSchema: z.toJSONSchema(searchInput, { io: "input" }),
      execute: (input, { signal }) =>
        answered(async () => {
          const { text, facets, limit = 20 } = read(searchInput, input);
          const call = signal === undefined ? who : { ...who, signal };
          const found = await catalog.search({
            text,
            limit,
            facets,
            ...call,
          });
          const { items } = await catalog.overview({
            ids: found.hits.map(({ id }) => id),
            pageSize: limit,
            ...call,
          });
          const lines = items.map(({ id, kind, title, schema_digest }) =>
            inertText(
              `${id} | ${kind} | ${title}${schema_digest.length > 0 ? `: ${schema_digest.join(" ")}` : ""}`,
              700,
            ),
          );
          const missed = found.unmatchedTerms.slice(0, 10).map((term) => inertText(term, 40));
          const note = missed.length === 0 ? [] : [`[no resource has: ${missed.join(", ")}]`];
          return fit([...(lines.length === 0 ? ["[nothing found]"] : note), ...lines]);
        }),
    },
    {
      name: "resource_details",
      description:
        "Gives the details of resources: columns, snippets of working code, what to avoid, what can be pushed down. Long cards " +
        "are cut and give a cursor; pass it with that id alone to go on.",
      inputSchema: z.toJSONSchema(detailsInput, { io: "input" }),
      execute: (input, { signal }) =>
        answered(async () => {
          const { ids, cursor } = read(detailsInput, input);
          const call = signal === undefined ? who : { ...who, signal };
          const { items, missing } = await catalog.details(ids, {
            cursor,
            ...call,
          });
          const absent = missing.map((id) => `[no resource ${JSON.stringify(inertText(id, 80))}]`);
          return fit([...items.map(toolDetailsText), ...absent]);
        }),
    },
  ];
}

class InputProblem extends Error {}

function read<T>(schema: z.ZodType<T>, input: unknown): T {
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues
    .slice(0, 5)
    .map(({ path, message }) => `${path.map(String).join(".")}: ${message}`);
  throw new InputProblem(problems.join("; "));
}

async function answered(action: () => Promise<string>): Promise<string> {
  try {
    return await action();
  } catch (error) {
    if (error instanceof InputProblem)
      return `[the input does not fit: ${inertText(error.message, 400)}]`;
    if (CatalogError.isInstance(error) && error.code === "invalid_options")
      return `[${inertText(error.message, 400)}]`;
    throw error;
  }
}

/** As many lines as fit, and a mark that says how many do not. */
function fitLines(
  lines: readonly string[],
  { counter, usable }: { counter: TokenCounter; usable: number },
): string {
  for (let kept = lines.length; kept > 0; kept--) {
    const mark =
      kept < lines.length
        ? [`[cut: ${lines.length - kept} of ${lines.length} entries; ask for fewer]`]
        : [];
    const text = [...lines.slice(0, kept), ...mark].join("\n");
    if (counter.count(text) <= usable) return text;
  }
  return lines.length === 0 ? "" : "[cut: nothing fits]";
}
