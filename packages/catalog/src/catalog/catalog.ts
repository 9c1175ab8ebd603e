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
import type { DetailsCard } from "../budget/details-card.ts";
import type { ResourceInput } from "../record/resource-record.ts";
import type { RankWeights } from "../search/rank-weights.ts";
import type { ScoreExplanation } from "../search/score-terms.ts";
import type { SearchIndex } from "../search/search-index.ts";
import type { HistoryEntry } from "../store/history-entry.ts";

/** What a catalog is made of; nothing is needed. */
export interface CatalogOptions {
  /** Where resources, their history and the vectors of their texts are kept; they stay open. In memory where absent. */
  records?: Records | undefined;
  /** In memory where absent; filled from the records. */
  index?: SearchIndex | undefined;
  /** Search goes by words alone where absent. */
  embedder?: Embedder | undefined;
  /** Longest wait for one call of the embedder; 10,000 where absent. */
  embedTimeoutMs?: number | undefined;
  /** The main model's; an estimate where absent, under which a tenth of every budget is kept back. */
  counter?: TokenCounter | undefined;
  /** Without it calls without a principal see everything but personal columns, and calls with one see nothing. */
  access?: AccessOptions | undefined;
  clock?: Clock | undefined;
  /** Factors of the terms of a score. */
  weights?: Partial<RankWeights> | undefined;
}

/** What every call takes. */
export interface CallOptions {
  signal?: AbortSignal | undefined;
}

/** Who asks; the role `public` where absent. */
interface AskOptions extends CallOptions {
  principal?: Principal | undefined;
}

/** Ids by alias, as `budgetedContext` gives them. */
export type AliasMap = Readonly<Record<string, string>>;

/** What a batch did. */
export interface RegisterReport {
  /** Ids in the order given. */
  added: string[];
  changed: string[];
  unchanged: string[];
  /** Masked secrets, and an embedder that failed (`embedding_failed`): the resources are found by words meanwhile. */
  warnings: Issue[];
}

/** Which overviews are asked for; all, by id, where nothing is given. */
export interface OverviewQuery extends AskOptions {
  /** These and no others, in this order; ids that are absent or denied are left out. */
  ids?: readonly string[] | undefined;
  /** Best match first. */
  query?: string | undefined;
  facets?: FacetFilter | undefined;
  /** From 1. */
  page?: number | undefined;
  /** 50 by default, at most 1,000. */
  pageSize?: number | undefined;
}

/** A page of overviews. */
export interface OverviewPage {
  items: SeenOverview[];
  pageInfo: {
    page: number;
    pageSize: number;
    /** Of what the principal may see; with a query at most 1,000. */
    total: number;
    pages: number;
    hasNext: boolean;
  };
}

/** Which parts of cards are asked for. */
export interface DetailsQuery extends AskOptions {
  sections?: readonly DetailSection[] | undefined;
  /** `next` of a card before. */
  cursor?: string | undefined;
  /** Columns of a window: 10 by default, at most 10,000. */
  columnLimit?: number | undefined;
  /** Snippets of a window: 2 by default, at most 100. */
  snippetLimit?: number | undefined;
  /** Makes aliases count as ids. */
  aliases?: AliasMap | undefined;
}

/** Cards in the order of the ids asked for. */
export interface DetailsAnswer {
  items: DetailsCard[];
  /** As asked: ids that are absent, and ids that the principal must not see, which look the same. */
  missing: string[];
}

/** What is looked for. Without text and vector the resources come by id. */
export interface SearchQuery extends AskOptions {
  text?: string | undefined;
  /** Of the catalog's embedder; made from the text where absent. */
  vector?: Float32Array | undefined;
  facets?: FacetFilter | undefined;
  /** 20 by default, at most 1,000. */
  limit?: number | undefined;
  /** Ids to leave out. */
  exclude?: readonly string[] | undefined;
}

/** What took part in a search: `absent` without an embedder or without a query, `failed` where it did not answer in time or at all. */
export type VectorLeg = "used" | "absent" | "failed";

/** What was found. */
export interface SearchAnswer {
  /** Best first, ties by id. */
  hits: { id: string; score: number; explain: ScoreExplanation }[];
  /** Words of the text that no visible resource has. */
  unmatchedTerms: string[];
  /** Share of the text's words, by their rarity, that visible resources have: 0..1. */
  coverage: number;
  /** Over the best 200 matches, or over all that is visible where nothing is looked for. */
  facetCounts: Record<string, FacetCount[]>;
  vectorLeg: VectorLeg;
}

/** Tokens set aside of a budget. */
export interface BudgetReserve {
  /** For the caller's system prompt; 0 where absent. */
  head?: number | undefined;
  /** For the task's wording; 0 where absent. */
  task?: number | undefined;
  /** For cards; where absent six tenths of what the head and the task leave, but the overview gets the first 800. */
  details?: number | undefined;
}

/** What a context is made for. */
export interface ContextRequest extends AskOptions {
  task: string;
  /** Tokens in all. */
  budget: number;
  reserve?: BudgetReserve | undefined;
  /** Ids (or objects with one) in rank order, instead of a search. */
  candidates?: readonly (string | { id: string })[] | undefined;
  facets?: FacetFilter | undefined;
  exclude?: readonly string[] | undefined;
  /** Makes aliases count as ids in `candidates` and `exclude`. */
  aliases?: AliasMap | undefined;
}

/** A card in a context. */
export interface ContextCard {
  id: string;
  alias: string;
  /** True where the text has less than the card, and says so. */
  truncated: boolean;
  total: DetailsCard["total"];
  /** Cursor for `details` where columns or snippets were cut. */
  next?: string | undefined;
}

/** Rows and cards within a budget. */
export interface BudgetedContext {
  text: string;
  /** Of `text`, by the catalog's counter; at most the budget less the reserves of head and task. */
  tokens: number;
  /** In the order of the rows. */
  overview: { id: string; alias: string }[];
  aliases: AliasMap;
  details: ContextCard[];
  /** Rows. */
  k: number;
  /** Cards, at most `k`. */
  m: number;
  /** Candidates without a row, and rows without a card. */
  omitted: { overview: number; details: number };
  unmatchedTerms: string[];
  vectorLeg: VectorLeg;
  breakdown: { usable: number; head: number; task: number; overview: number; details: number };
}

/** What a model picks from. */
export interface DrillDownRequest extends ContextRequest {
  model: LanguageModel;
  /** 2 by default, at most 5. */
  maxRounds?: number | undefined;
  /** Cards at most; 8 by default. */
  maxPicks?: number | undefined;
}

/** One question to the model. */
export interface DrillDownRound {
  /** Ids whose rows were shown. */
  shown: string[];
  picked: string[];
  /** What the model missed; empty where it had enough. */
  needMore: string;
  /** Of the prompt, by the catalog's counter; at most the round's budget. */
  promptTokens: number;
  /** Tokens that the round could use: each next one has seven tenths of the one before. */
  budget: number;
}

/** What a model picked, and the context that this gives. */
export interface DrillDown {
  picks: { id: string; why: string }[];
  /** Cards of the picks, under their rows. */
  context: BudgetedContext;
  rounds: DrillDownRound[];
  /** Of all rounds. */
  usage: ModelUsage;
}

/** An entry as a principal sees it: without what counts changes of columns and keys that are hidden. */
export interface SeenHistoryEntry extends Omit<HistoryEntry, "rev" | "schema_hash"> {
  rev?: number | undefined;
  schema_hash?: string | undefined;
}

/** Which entries of a history are asked for. */
export interface HistoryQuery extends AskOptions {
  /** The newest so many; 100 by default, at most 1,000. */
  limit?: number | undefined;
}

/**
 * Thousands of resources, the right ones in front of a model. Every call rejects with a `CatalogError` where the index
 * fails, an option makes no sense or `signal` aborts, and with a `RecordsError` where the records fail.
 */
export interface Catalog {
  /** Adds or replaces resources, all or none: any issue registers nothing. */
  register(
    resources: readonly ResourceInput[],
    options?: CallOptions,
  ): Promise<Result<RegisterReport>>;
  /** Gives the ids that were there. */
  remove(ids: readonly string[], options?: CallOptions): Promise<string[]>;
  overview(query?: OverviewQuery): Promise<OverviewPage>;
  details(ids: readonly string[], query?: DetailsQuery): Promise<DetailsAnswer>;
  search(query?: SearchQuery): Promise<SearchAnswer>;
  /** @throws CatalogError `budget_exceeded` where not even the overview's header fits */
  budgetedContext(request: ContextRequest): Promise<BudgetedContext>;
  /**
   * Lets a model pick from rows and gives the picks' cards. An answer that does not hold after one repair is a failed
   * result. @throws LanguageModelError as the model gives it
   */
  drillDown(request: DrillDownRequest): Promise<Result<DrillDown>>;
  /** Oldest first; empty for an id that is absent or whose card is denied. */
  history(id: string, query?: HistoryQuery): Promise<SeenHistoryEntry[]>;
}
