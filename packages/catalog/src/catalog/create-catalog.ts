import { estimatedCounter, systemClock } from "@ccl/core";

import { presentOverview, viewColumns } from "../access/present-record.ts";
import { CatalogError } from "../catalog-error.ts";
import { drillDown } from "../drill-down/drill-down.ts";
import { createMemorySearchIndex } from "../search/create-memory-search-index.ts";
import { createMemoryCatalogStore } from "../store/create-memory-catalog-store.ts";
import { throwIfAborted } from "../store/store-input.ts";
import { requireIds, requireWhole } from "./call-options.ts";
import type { Catalog, CatalogOptions, OverviewPage, OverviewQuery, SearchAnswer, SearchQuery } from "./catalog.ts";
import type { CatalogContext } from "./catalog-context.ts";
import { createBudgetedContext } from "./budgeted-context.ts";
import { detailsOf } from "./details-of.ts";
import { historyOf } from "./history-of.ts";
import { registerResources, removeResources } from "./register-resources.ts";
import { ResidentRecords } from "./resident-records.ts";
import { countFacets, findResources } from "./search-resources.ts";
import { createVectorSource } from "./vector-source.ts";
import { createVisibleSets } from "./visible-set.ts";

/** Matches that facets are counted over, and that pages of a query go through. */
const countedMatches = 200;
const pagedMatches = 1_000;

/** A catalog over a store and an index, in memory unless given. Nothing is read before the first call. */
export function createCatalog(options: CatalogOptions = {}): Catalog {
  const context = createContext(options);
  const { resident, look, clock, store } = context;
  return {
    register: (resources, { signal } = {}) =>
      registerResources(resources, { store, resident, clock, ...(signal === undefined ? {} : { signal }) }),
    async remove(ids, { signal } = {}) {
      requireIds("ids", ids);
      return removeResources(ids, { store, resident, clock, ...(signal === undefined ? {} : { signal }) });
    },
    overview: (query = {}) => overviewPage(query, context),
    async details(ids, query = {}) {
      requireIds("ids", ids);
      const visible = await look(query.principal, query.signal);
      return detailsOf({ ids, query, visible }, context);
    },
    search: (query = {}) => searchAnswer(query, context),
    budgetedContext: (request) => createBudgetedContext(request, context),
    drillDown: (request) => drillDown(request, context),
    async history(id, query = {}) {
      const visible = await look(query.principal, query.signal);
      return historyOf(id, query, { visible, store });
    },
  };
}

function createContext(options: CatalogOptions): CatalogContext {
  const { store = createMemoryCatalogStore(), index = createMemorySearchIndex(), embedder, access } = options;
  const { clock = systemClock, embedTimeoutMs = 10_000, weights } = options;
  requireWhole("embedTimeoutMs", embedTimeoutMs, [1, 3_600_000]);
  if (access !== undefined && (typeof access.roles !== "object" || access.roles === null)) {
    throw new CatalogError("invalid_options", "access.roles is an object of rights by role.");
  }
  const vectors =
    embedder === undefined ? undefined : createVectorSource({ embedder, store, timeoutMs: embedTimeoutMs, clock });
  const resident = new ResidentRecords({ store, index, vectors, access });
  const visibleSets = createVisibleSets(resident, access);
  return {
    counter: options.counter ?? estimatedCounter,
    access,
    store,
    resident,
    index,
    vectors,
    dimensions: embedder?.dimensions,
    clock,
    weights,
    async look(principal, signal) {
      throwIfAborted(signal);
      await resident.follow(signal);
      return visibleSets(principal);
    },
  };
}

async function searchAnswer(query: SearchQuery, context: CatalogContext): Promise<SearchAnswer> {
  const { limit = 20, principal, ...rest } = query;
  requireWhole("limit", limit, [1, 1_000]);
  if (rest.exclude !== undefined) requireIds("exclude", rest.exclude);
  const visible = await context.look(principal, rest.signal);
  await context.resident.fillVectors(rest.signal);
  const isBrowsing = (rest.text ?? "").trim() === "" && rest.vector === undefined;
  const found = await findResources({ ...rest, visible, limit: Math.max(limit, countedMatches) }, context);
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
  const call = { visible, ...(facets === undefined ? {} : { facets }), ...(signal === undefined ? {} : { signal }) };
  const isBrowsing = text.trim() === "";
  const limit = isBrowsing ? Number.MAX_SAFE_INTEGER : pagedMatches;
  const wanted = ids === undefined ? undefined : new Set(ids);
  let matches: readonly string[];
  if (isBrowsing && wanted !== undefined && facets === undefined) matches = [...wanted];
  else {
    const found = await findResources({ ...call, text, limit }, context);
    const inSearch = found.hits.map(({ id }) => id);
    matches = wanted === undefined ? inSearch : kept(inSearch, wanted, isBrowsing);
  }
  const records = matches.flatMap((id) => visible.get(id) ?? []);
  const start = (page - 1) * pageSize;
  const items = records
    .slice(start, start + pageSize)
    .map((record) => presentOverview(record, viewColumns(record, visible.visibility)));
  const pages = Math.ceil(records.length / pageSize);
  return { items, pageInfo: { page, pageSize, total: records.length, pages, hasNext: page < pages } };
}

/** Those that are wanted: in the order of the search, or without one in the order of the wanted. */
function kept(found: readonly string[], wanted: ReadonlySet<string>, isBrowsing: boolean): string[] {
  if (!isBrowsing) return found.filter((id) => wanted.has(id));
  const fitting = new Set(found);
  return [...wanted].filter((id) => fitting.has(id));
}
