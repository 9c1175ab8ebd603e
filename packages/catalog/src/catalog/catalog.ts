import type {
  Clock,
  Embedder,
  Issue,
  LanguageModel,
  ModelUsage,
  Result,
  TokenCounter,
} from "@ccl/core";
import type { Records } from "@ccl/records";
import type { FacetCount, FacetFilter } from "@ccl/search";

import type { AccessOptions, DetailSection, Principal } from "../access/access-options.ts";
import type { SeenOverview } from "../access/present-record.ts";
import type { AliasMap, BudgetReserve, BuiltContext } from "../budget/build-context.ts";
import type { DetailsCard } from "../budget/details-card.ts";
import type { ResourceInput } from "../record/resource-record.ts";
import type { RankWeights } from "../search/rank-weights.ts";
import type { ScoreExplanation } from "../search/score-terms.ts";
import type { SearchIndex } from "../search/search-index.ts";
import type { HistoryEntry } from "../store/history-entry.ts";

/** Options of `createCatalog`. All of them can be omitted. */
export interface CatalogOptions {
  /** Stores resources, their history and their vectors. The caller must close it. In memory by default. */
  records?: Records | undefined;
  /** Search index, filled from the records. In memory by default. */
  index?: SearchIndex | undefined;
  /** Computes vectors for search. Without one, search matches words only. */
  embedder?: Embedder | undefined;
  /** Timeout for one embedder call, in milliseconds. 10,000 by default. */
  embedTimeoutMs?: number | undefined;
  /** The main model's token counter. Defaults to an estimate, which holds back a tenth of every budget. */
  counter?: TokenCounter | undefined;
  /**
   * Access rules. Without them, a call without a principal sees everything except personal columns, and a call
   * with one sees nothing.
   */
  access?: AccessOptions | undefined;
  clock?: Clock | undefined;
  /** Weights of the terms in a score. */
  weights?: Partial<RankWeights> | undefined;
}

/** Options common to all calls. */
export interface CallOptions {
  signal?: AbortSignal | undefined;
}

/** Options with the principal of a call. Defaults to the role `public`. */
interface AskOptions extends CallOptions {
  principal?: Principal | undefined;
}

/** The result of registering a batch. */
export interface RegisterReport {
  /** In input order. */
  added: string[];
  changed: string[];
  unchanged: string[];
  /**
   * Reports masked secrets and a failed embedder (`embedding_failed`). Until it recovers, the resources can be
   * found only by words.
   */
  warnings: Issue[];
}

/** Selects overviews. Defaults to all, sorted by id. */
export interface OverviewQuery extends AskOptions {
  /** Returns only these ids, in this order. Absent and denied ids are omitted. */
  ids?: readonly string[] | undefined;
  /** Search text. If set, the best match comes first. */
  query?: string | undefined;
  facets?: FacetFilter | undefined;
  /** Page number, from 1. */
  page?: number | undefined;
  /** Page size. 50 by default, up to 1,000. */
  pageSize?: number | undefined;
}

/** A page of overviews. */
export interface OverviewPage {
  items: SeenOverview[];
  pageInfo: {
    page: number;
    pageSize: number;
    /** Number of overviews that the principal may see. With a query, up to 1,000. */
    total: number;
    pages: number;
    hasNext: boolean;
  };
}

/** Selects the parts of cards. */
export interface DetailsQuery extends AskOptions {
  sections?: readonly DetailSection[] | undefined;
  /** `next` from an earlier card. Returns the next window. */
  cursor?: string | undefined;
  /** Columns in a window: 10 by default, up to 10,000. */
  columnLimit?: number | undefined;
  /** Snippets in a window: 2 by default, up to 100. */
  snippetLimit?: number | undefined;
  /** Allows aliases to be used as ids. */
  aliases?: AliasMap | undefined;
}

/** Cards in the order of the requested ids. */
export interface DetailsAnswer {
  items: DetailsCard[];
  /** Requested ids that are absent or that the principal may not see. The two cannot be distinguished. */
  missing: string[];
}

/** A search query. Without text and vector, resources are returned by id. */
export interface SearchQuery extends AskOptions {
  text?: string | undefined;
  /** A vector from the catalog's embedder. Computed from the text by default. */
  vector?: Float32Array | undefined;
  facets?: FacetFilter | undefined;
  /** 20 by default, up to 1,000. */
  limit?: number | undefined;
  /** Ids to exclude. */
  exclude?: readonly string[] | undefined;
}

/**
 * Whether vectors took part in a search: `absent` without an embedder or a query, `failed` if the embedder failed or
 * timed out.
 */
export type VectorLeg = "used" | "absent" | "failed";

/** The result of a search. */
export interface SearchAnswer {
  /** Best hits first. Ties are sorted by id. */
  hits: { id: string; score: number; explain: ScoreExplanation }[];
  /** Words in the text that no visible resource contains. */
  unmatchedTerms: string[];
  /** Share of the text's words found in visible resources, weighted by rarity: 0..1. */
  coverage: number;
  /** Counts over the best 200 matches, or over all visible resources if there is nothing to search for. */
  facetCounts: Record<string, FacetCount[]>;
  vectorLeg: VectorLeg;
}

/** Options of `budgetedContext`. */
export interface ContextRequest extends AskOptions {
  task: string;
  /** Total number of tokens. */
  budget: number;
  reserve?: BudgetReserve | undefined;
  /** Ids (or objects with an id) in rank order, used instead of a search. */
  candidates?: readonly (string | { id: string })[] | undefined;
  facets?: FacetFilter | undefined;
  exclude?: readonly string[] | undefined;
  /** Allows aliases to be used as ids in `candidates` and `exclude`. */
  aliases?: AliasMap | undefined;
}

/** Rows and cards within a budget, with the search result behind them. */
export interface BudgetedContext extends BuiltContext {
  unmatchedTerms: string[];
  vectorLeg: VectorLeg;
}

/** Options of `drillDown`. */
export interface DrillDownRequest extends ContextRequest {
  model: LanguageModel;
  /** 2 by default, up to 5. */
  maxRounds?: number | undefined;
  /** Maximum number of cards. 8 by default. */
  maxPicks?: number | undefined;
}

/** One question to the model. */
export interface DrillDownRound {
  /** Ids whose rows the model saw. */
  shown: string[];
  picked: string[];
  /** The model's description of what it could not find. Empty if it had enough. */
  needMore: string;
  /** Tokens in the prompt, by the catalog's counter. Never exceeds the round's budget. */
  promptTokens: number;
  /** Token budget of the round. Each round gets 70% of the previous one. */
  budget: number;
}

/** A model's picks, and the context built from them. */
export interface DrillDown {
  picks: { id: string; why: string }[];
  /** The picked rows, with their cards below. */
  context: BudgetedContext;
  rounds: DrillDownRound[];
  /** Sum over all rounds. */
  usage: ModelUsage;
}

/** A history entry as seen by a principal. It omits fields that would reveal changes to hidden columns and keys. */
export interface SeenHistoryEntry extends Omit<HistoryEntry, "rev" | "schema_hash"> {
  rev?: number | undefined;
  schema_hash?: string | undefined;
}

/** Selects history entries. */
export interface HistoryQuery extends AskOptions {
  /** Number of newest entries to return. 100 by default, up to 1,000. */
  limit?: number | undefined;
}

/**
 * Finds the right few among thousands of resources for a model. Every call rejects with a `CatalogError` if the
 * index fails, an option is invalid or `signal` aborts, and with a `RecordsError` if the records fail.
 */
export interface Catalog {
  /** Adds or replaces resources. A single issue rejects the whole batch. */
  register(
    resources: readonly ResourceInput[],
    options?: CallOptions,
  ): Promise<Result<RegisterReport>>;
  /** Removes resources. Returns the removed ids. */
  remove(ids: readonly string[], options?: CallOptions): Promise<string[]>;
  overview(query?: OverviewQuery): Promise<OverviewPage>;
  details(ids: readonly string[], query?: DetailsQuery): Promise<DetailsAnswer>;
  search(query?: SearchQuery): Promise<SearchAnswer>;
  /**
   * Builds rows and cards for a task within a token budget.
   * @throws CatalogError `budget_exceeded` if not even the overview's header fits
   */
  budgetedContext(request: ContextRequest): Promise<BudgetedContext>;
  /**
   * Lets a model pick from rows and returns the cards for its picks. Returns a failure if the answer is still
   * invalid after one repair.
   * @throws LanguageModelError from the model
   */
  drillDown(request: DrillDownRequest): Promise<Result<DrillDown>>;
  /** Returns a resource's history, oldest first. Returns an empty list if the id is absent or its card is denied. */
  history(id: string, query?: HistoryQuery): Promise<SeenHistoryEntry[]>;
}
