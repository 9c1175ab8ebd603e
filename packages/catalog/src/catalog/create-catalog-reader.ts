import { requireWhole } from "../require-whole.ts";
import { seenOverview } from "../access/present-record.ts";
import { createBudgetedContext } from "./budgeted-context.ts";
import { requireIds } from "./call-options.ts";
import type { Catalog, OverviewPage, OverviewQuery, SearchAnswer, SearchQuery } from "./catalog.ts";
import type { CatalogContext } from "./catalog-context.ts";
import { detailsOf } from "./details-of.ts";
import { countFacets, findResources } from "./search-resources.ts";

/** Catalog methods that change nothing and call no model. */
export type CatalogReader = Pick<Catalog, "overview" | "details" | "search" | "budgetedContext">;

/** Maximum number of matches to count in facets and to page through. */
const countedMatches = 200;
const pagedMatches = 1_000;

/** Creates a reader that answers calls from a context's records and index. */
export function createCatalogReader(context: CatalogContext): CatalogReader {
  return {
    overview: (query = {}) => overviewPage(query, context),
    async details(ids, query = {}) {
      requireIds("ids", ids);
      const visible = await context.look(query.principal, query.signal);
      return detailsOf(ids, query, visible);
    },
    search: (query = {}) => searchAnswer(query, context),
    budgetedContext: (request) => createBudgetedContext(request, context),
  };
}

async function searchAnswer(query: SearchQuery, context: CatalogContext): Promise<SearchAnswer> {
  const { limit = 20, principal, ...rest } = query;
  requireWhole("limit", limit, [1, 1_000]);
  if (rest.exclude !== undefined) requireIds("exclude", rest.exclude);
  const visible = await context.look(principal, rest.signal);
  await context.fillVectors(rest.signal);
  const isBrowsing = (rest.text ?? "").trim() === "" && rest.vector === undefined;
  const found = await findResources(
    { ...rest, visible, limit: Math.max(limit, countedMatches) },
    context,
  );
  const matched = isBrowsing ? undefined : found.hits.slice(0, countedMatches).map(({ id }) => id);
  const facetCounts = await countFacets({ ...rest, visible, limit }, matched, context);
  return { ...found, hits: found.hits.slice(0, limit), facetCounts };
}

async function overviewPage(query: OverviewQuery, context: CatalogContext): Promise<OverviewPage> {
  const { ids, query: text = "", facets, page = 1, pageSize = 50, principal, signal } = query;
  requireWhole("page", page, [1, Number.MAX_SAFE_INTEGER]);
  requireWhole("pageSize", pageSize, [1, 1_000]);
  if (ids !== undefined) requireIds("ids", ids);
  const visible = await context.look(principal, signal);
  const isBrowsing = text.trim() === "";
  const limit = isBrowsing ? Number.MAX_SAFE_INTEGER : pagedMatches;
  const { hits } = await findResources({ visible, facets, signal, text, limit }, context);
  const found = new Set(hits.map(({ id }) => id));
  const requested = new Set(ids ?? found);
  // In search order, or in request order if there is no search.
  const [first, second] = isBrowsing ? [requested, found] : [found, requested];
  const matches = [...first].filter((id) => second.has(id));
  const records = matches.flatMap((id) => visible.get(id) ?? []);
  const start = (page - 1) * pageSize;
  const items = records
    .slice(start, start + pageSize)
    .map((record) => seenOverview(record, visible.visibility));
  const pages = Math.ceil(records.length / pageSize);
  return {
    items,
    pageInfo: { page, pageSize, total: records.length, pages, hasNext: page < pages },
  };
}
