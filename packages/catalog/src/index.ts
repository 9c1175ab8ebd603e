export type { FacetCount, FacetFilter } from "@ccl/search";

export type {
  AccessAudit,
  AccessOptions,
  DetailSection,
  Principal,
  ResourceMatch,
  ResourceRule,
  RoleRights,
} from "./access/access-options.ts";
export type { CardOffsets, DetailsCard } from "./budget/details-card.ts";
export { fitBudget, type BudgetFit, type FitBudgetOptions } from "./budget/fit-budget.ts";
export type { RowInput } from "./budget/overview-row.ts";
export {
  renderOverviewRows,
  type OverviewRows,
  type RenderRowsOptions,
} from "./budget/render-overview-rows.ts";
export { CatalogError, type CatalogErrorCode } from "./catalog-error.ts";
export type {
  AliasMap,
  AskOptions,
  BudgetedContext,
  BudgetReserve,
  CallOptions,
  Catalog,
  CatalogOptions,
  ContextCard,
  ContextRequest,
  DetailsAnswer,
  DetailsQuery,
  DrillDownRequest,
  HistoryQuery,
  OverviewPage,
  OverviewQuery,
  RegisterReport,
  SearchAnswer,
  SearchQuery,
  VectorLeg,
} from "./catalog/catalog.ts";
export { createCatalog } from "./catalog/create-catalog.ts";
export type { DrillDown, DrillDownRound } from "./drill-down/drill-down.ts";
export {
  evaluateCatalog,
  type BudgetMetrics,
  type EvaluatedCatalog,
  type EvaluateOptions,
  type Evaluation,
  type RankingMetrics,
} from "./evaluate/evaluate-catalog.ts";
export { formatEvaluations } from "./evaluate/format-evaluations.ts";
export { fromCatalogFiles, toCatalogFiles, type CatalogFiles } from "./forms/catalog-files.ts";
export { fromCompactJsonl, toCompactJsonl } from "./forms/compact-jsonl.ts";
export { detailsPath } from "./forms/details-path.ts";
export {
  renderResourcesMarkdown,
  type DocumentedResource,
  type ResourcesMarkdownOptions,
} from "./forms/render-resources-markdown.ts";
export { fromFiles, type FromFilesOptions, type SourceFile } from "./importers/from-files.ts";
export { fromJsonl } from "./importers/from-jsonl.ts";
export {
  fromMcpTools,
  type FromMcpToolsOptions,
  type McpToolSource,
} from "./importers/from-mcp-tools.ts";
export { fromOpenApi, type FromOpenApiOptions } from "./importers/from-openapi.ts";
export { fromSqlDatabase, type FromSqlDatabaseOptions } from "./importers/from-sql-database.ts";
export { fromTools, type FromToolsOptions, type SkillDeclaration } from "./importers/from-tools.ts";
export type { ParquetMetadataReader } from "./importers/read-parquet-file.ts";
export { checkResources } from "./record/check-resource.ts";
export {
  diffResource,
  type ChangeSeverity,
  type ResourceChange,
  type ResourceDiff,
} from "./record/diff-resource.ts";
export { hashResource, type ResourceHashes } from "./record/hash-resource.ts";
export type {
  CostHint,
  ResourceAccess,
  ResourceColumn,
  ResourceDetails,
  ResourceExample,
  ResourceInput,
  ResourceKind,
  ResourceOverview,
  ResourcePushdown,
  ResourceQuality,
  ResourceRecord,
  ResourceShape,
  ResourceSnippet,
  ResourceUsage,
} from "./record/resource-record.ts";
export {
  createMemorySearchIndex,
  type MemorySearchIndex,
  type MemorySearchIndexOptions,
} from "./search/create-memory-search-index.ts";
export {
  rankResources,
  type RankedHit,
  type RankedResources,
  type RankResourcesOptions,
} from "./search/rank-resources.ts";
export type { ScoreExplanation } from "./search/score-terms.ts";
export type { SearchField } from "./search/searchable-fields.ts";
export { defaultRankWeights, type RankWeights } from "./search/rank-weights.ts";
export type { SearchDocument, SearchIndex } from "./search/search-index.ts";
export type {
  CatalogStore,
  ChangedId,
  ChangePage,
  HistoryEntry,
  HistoryPage,
  ResourcePage,
  ResourceWrite,
  StoreCallOptions,
  StoredResource,
  StorePageOptions,
  VectorEntry,
} from "./store/catalog-store.ts";
export { createMemoryCatalogStore } from "./store/create-memory-catalog-store.ts";
export {
  createCatalogTools,
  type CatalogToolsOptions,
  type DetailsToolInput,
  type SearchToolInput,
} from "./tools/create-catalog-tools.ts";
