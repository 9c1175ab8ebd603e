export type { FacetFilter } from "@ccl/search";

export type { AccessOptions, Principal } from "./access/access-options.ts";
export type { SeenOverview } from "./access/present-record.ts";
export { createHiddenNames, type HiddenNames } from "./access/hidden-names.ts";
export { renderCards } from "./budget/card-text.ts";
export type { DetailsCard } from "./budget/details-card.ts";
export { CatalogError, type CatalogErrorCode } from "./catalog-error.ts";
export type {
  BudgetedContext,
  Catalog,
  CatalogOptions,
  ContextRequest,
  DetailsQuery,
  DrillDown,
  HistoryQuery,
  OverviewPage,
  OverviewQuery,
  SearchAnswer,
  SearchQuery,
} from "./catalog/catalog.ts";
export { createCatalog } from "./catalog/create-catalog.ts";
export { fromCatalogFiles, toCatalogFiles, type CatalogFiles } from "./forms/catalog-files.ts";
export { renderResourcesMarkdown } from "./forms/render-resources-markdown.ts";
export { objectSchema } from "./schema/schema-columns.ts";
export { checkResources } from "./record/check-resource.ts";
export {
  diffResource,
  type ChangeSeverity,
  type ResourceChange,
  type ResourceDiff,
} from "./record/diff-resource.ts";
export type {
  ResourceColumn,
  ResourceDetails,
  ResourceInput,
  ResourceKind,
  ResourceOverview,
  ResourceRecord,
  ResourceSnippet,
} from "./record/resource-record.ts";
export { createMemorySearchIndex } from "./search/create-memory-search-index.ts";
export type { SearchDocument, SearchIndex } from "./search/search-index.ts";
export { listResources } from "./store/list-resources.ts";
export { restoreResources } from "./store/write-resources.ts";
export { deferTools, type DeferredTools, type DeferToolsOptions } from "./tools/defer-tools.ts";
export { nameList } from "./tools/name-list.ts";
export { pickPrompt } from "./drill-down/pick-prompt.ts";
export { createCatalogTools, type CatalogToolsOptions } from "./tools/create-catalog-tools.ts";
export { rowsOf, rulesOf } from "./record/anti-pattern-rules.ts";
