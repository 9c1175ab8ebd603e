import type { Issue } from "@ccl/core";
import type { ContextRecord, PartKind } from "@ccl/core/tracing";

/** Token counts by cache state. */
interface TokenShares {
  /** Tokens read from the provider's cache. */
  cached: number;
  fresh: number;
}

/** The project, and the pages that have data. */
export interface OverviewView {
  project: string;
  root: string;
  /** Pages without data, with the reason and the command that provides the data. */
  missing: { page: string; why: string }[];
}

/** A session of prompts. */
export interface SessionRow {
  id: string;
  /** The recorder, such as `gateway` or `withContext`, or the program that wrote the log. */
  source: string;
  title: string;
  model?: string | undefined;
  /** Time of the last prompt in milliseconds since the epoch. */
  timeMs?: number | undefined;
  prompts: number;
  /** Estimated tokens in the last prompt. */
  tokens: number;
  /** Total cost of the prompts at list prices, as sent and without changes. */
  usd: number;
  directUsd: number;
  /** Number of prompts without an answer, or with a status of 400 or above. */
  failed: number;
  /** Time between the first and the last prompt. */
  durationMs: number;
}

/** `sessions`: the sessions, newest first. */
interface SessionsView {
  sessions: SessionRow[];
  /** Number of files omitted to limit the list. */
  left: number;
}

/** The metrics of a prompt. */
export interface PromptRow
  extends
    TokenShares,
    Pick<ContextRecord, "budget" | "reported" | "status" | "reason" | "durationMs"> {
  at: number;
  timeMs?: number | undefined;
  /** Tokens before shortening. */
  directTokens: number;
  usd: number;
  directUsd: number;
  /** True if there was no answer, or its status was 400 or above. */
  isFailed: boolean;
}

/** `session`: the prompts of a session, in order. */
interface SessionView {
  session: SessionRow;
  prompts: PromptRow[];
}

/** A part of a prompt. */
export interface PromptPart {
  at: number;
  origin: PartKind;
  tool?: string | undefined;
  /** Links a call to its result. */
  callId?: string | undefined;
  /** Tokens as sent. */
  tokens: number;
  /** Tokens before any changes. */
  directTokens: number;
  isCached: boolean;
  /** How the part was changed, such as `cut` or `dropped`. Absent if it was sent unchanged. */
  form?: string | undefined;
  why?: string | undefined;
  /** How to get the full text. */
  handle?: string | undefined;
  /** The beginning of the text as sent. Absent if texts were not stored. */
  preview?: string | undefined;
  /** Length of the full text in characters. */
  length?: number | undefined;
}

/** `prompt`: the parts of a prompt, in the order in which the model read them. */
export interface PromptView {
  session: SessionRow;
  prompt: PromptRow;
  parts: PromptPart[];
}

/** The indexes of a part in one prompt and its counterpart in another. */
export interface ComparedPair {
  /** `unknown` if texts were not stored. */
  change: "same" | "changed" | "removed" | "added" | "moved" | "unknown";
  first?: number | undefined;
  second?: number | undefined;
  /** Lines that start with a space, + or -. Absent if texts were not stored or too many lines differ. */
  diff?: string | undefined;
}

/**
 * Where a prompt departs from the prefix of the previous one. The provider must process everything
 * after it again.
 */
export interface CacheBreak {
  /** Index of the part in the second prompt. */
  second: number;
  /** Length of the unchanged prefix of the part's text in UTF-8 bytes. Absent if unknown. */
  byte?: number | undefined;
  /** False if the part may be unchanged, but its text was not stored. */
  isKnown: boolean;
  /** Tokens before the break, which stay cached. */
  keptTokens: number;
  /** Tokens of the first prompt after the break, which are no longer read from the cache. */
  lostTokens: number;
  /** Cost of writing the lost tokens to the cache again, at list prices. */
  usd?: number | undefined;
}

/** `compared`: two prompts from the same session or different ones. */
export interface ComparedView {
  pairs: ComparedPair[];
  /** Absent if the second prompt extends the first. */
  break?: CacheBreak | undefined;
}

/** A prompt as compiled for another budget. */
export interface ReplayedPrompt {
  at: number;
  /** Tokens that were sent, and their cost at list prices. */
  sentTokens: number;
  usd: number;
  /** Absent if the required messages alone exceed the budget. In this case, `problem` states the reason. */
  tokens?: number | undefined;
  /** Tokens in the prefix shared with the previous prompt. */
  cached?: number | undefined;
  replayedUsd?: number | undefined;
  problem?: string | undefined;
  /**
   * Values used by the answer's calls that this prompt would have hidden. `part` is the index of
   * the part that contains the value.
   */
  regrets: { value: string; part: number; tool?: string | undefined }[];
}

/** `replay`: a session under another budget or policy. */
export interface ReplayView {
  budget: number;
  policy: "balanced" | "economy";
  prompts: ReplayedPrompt[];
}

/** `text`: a piece of a long text. */
export interface TextView {
  text: string;
  /** In UTF-16 code units, like `total`. */
  offset: number;
  total: number;
}

/** Cumulative cost at one point in time. */
export interface GatewayPoint {
  timeMs: number;
  usd: number;
  directUsd: number;
  /** Shares from 0 to 1. */
  cachedShare: number;
}

/** Statistics of a running gateway since it started. */
interface LiveGateway {
  url: string;
  /** Why there are no statistics, or why the log belongs to another gateway. */
  problem?: string | undefined;
  figures?:
    | Record<
        "requests" | "changed" | "upstreamErrors" | "clientsGone" | "usd" | "directUsd",
        number
      >
    | undefined;
}

/**
 * `gateway`: the actual cost of requests, and the cost without shortening. Both use list prices and
 * account for the provider's cache.
 */
export interface GatewayView {
  requests: number;
  changed: number;
  usd: number;
  directUsd: number;
  /** Total tokens sent. */
  tokens: TokenShares;
  /** Totals reported by the provider. */
  reported: { total: number; cached: number };
  /** Cumulative sums, one point per request, up to 500. */
  points: GatewayPoint[];
  /** Tokens sent by origin and tool, largest first. */
  kinds: { origin: PartKind; tool?: string | undefined; tokens: number; directTokens: number }[];
  /** Reasons why requests were sent unchanged, with counts. */
  passed: [reason: string, count: number][];
  statuses: [status: string, count: number][];
  /** The sessions, highest cost first. */
  sessions: SessionRow[];
  /** Absent if no running gateway was given. */
  live?: LiveGateway | undefined;
}

/** A file in a pack, in the format of @ccl/aliases. */
export interface PackFile {
  alias: string;
  path: string;
  rank?: number | undefined;
  score?: number | undefined;
  /** Each signal's share of the score, from 0 to 1. */
  parts?: Readonly<Record<string, number>> | undefined;
  /** Words of the task that the file contains. */
  matched?: readonly string[] | undefined;
  commit?: string | undefined;
  /** How much of the file is shown. Absent if it is not shown. */
  level?: string | undefined;
  tokens?: number | undefined;
  /** Why the file is shown or omitted. */
  reason: string;
}

/** `pack`: what a model would see of the project for a task. */
export interface PackView {
  task: string;
  budget: number;
  tokens: number;
  isMatched?: boolean | undefined;
  unmatched: string[];
  files: PackFile[];
  text: string;
}

/** `catalog`: the matching resources. */
export interface CatalogView {
  total: number;
  hits: { id: string; kind: string; title: string; fields: string[]; problems: string[] }[];
  /** Number of matches for each value of a facet. */
  facets: Readonly<Record<string, readonly { value: string; count: number }[]>>;
  unmatched: string[];
  /** Number of resources with each problem. */
  health: { name: string; about: string; count: number }[];
}

/** `verify`: compares the catalog with its sources. The parameter `run` starts a new verification. */
export interface VerifyView {
  /** Absent before the first verification. The last four fields are numbers of findings. */
  verified?:
    | {
        timeMs: number;
        resources: number;
        /** Number of resources whose source answered. */
        probed: number;
        snippets: number;
        breaking: number;
        unverified: number;
        warning: number;
        notice: number;
      }
    | undefined;
  findings: { severity: string; code: string; resourceId: string; message: string }[];
}

/** `changes`: the differences since the commit in the parameter `since`, worst first. */
export interface ChangesView {
  against: string;
  counts: Record<"breaking" | "additive" | "cosmetic", number>;
  changes: {
    id: string;
    kind: "added" | "removed" | "changed";
    severity: string;
    changes: {
      kind: string;
      severity: string;
      path: string;
      from?: string | undefined;
      to?: string | undefined;
    }[];
  }[];
}

/** `resource`: all details of a resource. */
export interface ResourceView {
  id: string;
  kind: string;
  title: string;
  facts: { name: string; value: string }[];
  columns: { name: string; type: string; key: string; about: string }[];
  snippets: { title: string; code: string }[];
}

/** The steps of a query that run in one place, in order. */
export interface QueryPlace {
  name: string;
  steps: { text: string; rows?: number | undefined }[];
  /** Estimated number of rows returned. */
  rows?: number | undefined;
}

/** `query`: the rows of a query, or where it would run. */
export interface QueryView {
  plan: string;
  ranOn: string;
  /**
   * The steps that each source runs, and those that process their results. `here` is absent if one
   * source runs everything.
   */
  diagram: { sources: QueryPlace[]; here?: QueryPlace | undefined };
  durationMs?: number | undefined;
  columns: { name: string; type?: string | undefined }[];
  rows: Record<string, unknown>[];
}

/** `plans`: applied transactions, newest first, and the change awaiting confirmation. */
interface PlansView {
  transactions: readonly {
    transactionId: string;
    timeMs: number;
    status: string;
    paths: readonly string[];
    /** Files that a rollback did not restore, because they had been changed by someone else. */
    keptPaths: readonly string[];
    /** The check that failed, or another reason for the rollback. */
    why?: string | undefined;
  }[];
  pending?: PendingPlan | undefined;
}

/** `applied`: what the transaction `id` changed, even if it was rolled back. Absent if its journal has no diff. */
interface AppliedView {
  diff?: string | undefined;
}

/** The effect that a saved change would have on the current files. */
export interface PendingPlan {
  summary: string;
  /** Why the change cannot be applied. Empty if it can be. */
  issues: readonly Issue[];
  changes: readonly {
    path: string;
    kind: string;
    addedLines: number;
    removedLines: number;
    risks: readonly { message: string }[];
    diff: string;
  }[];
}

/** `runs`: runs of operations, newest first, up to the parameter `limit`. */
interface RunsView {
  hasMore: boolean;
  runs: {
    id: string;
    chat: string;
    startedAtMs: number;
    finishedAtMs?: number | undefined;
    status: string;
  }[];
}

/** An event of a run. Its type determines which fields it has. */
export interface RunEventRow {
  type: string;
  /** Milliseconds since the epoch, like all times here. */
  ts: number;
  hook?: string | undefined;
  operationId?: string | undefined;
  operationName?: string | undefined;
  status?: string | undefined;
  attempt?: number | undefined;
  attempts?: number | undefined;
  question?: string | undefined;
  skippedReason?: string | undefined;
  startedAt?: number | undefined;
  finishedAt?: number | undefined;
  error?: { code: string; message: string } | undefined;
  text?: string | undefined;
  offset?: number | undefined;
}

/** `run`: all stored data about a run, in the format of @ccl/operations. The events show what happened. */
export interface RunDetailsView {
  input: {
    runId: string;
    chatId: string;
    trigger: string;
    startedAt: number;
    profile?:
      | { operations: readonly { operationId: string; config: RunOperationConfig }[] }
      | undefined;
  };
  /** Absent while the run is active. */
  result?:
    | {
        status: string;
        finishedAt: number;
        finishReason?: string | undefined;
        failedDetails?:
          | Partial<Record<"operationId" | "errorMessage" | "errorCode", string | undefined>>
          | undefined;
        mainLlm: { text?: string | undefined };
      }
    | undefined;
  steps: readonly {
    kind: string;
    operationId?: string | undefined;
    hook?: string | undefined;
    effects?: readonly { type: string }[] | undefined;
  }[];
  events: readonly RunEventRow[];
  /** The state that the run's profile keeps in the chat. Versions are newest first. */
  artifacts: {
    tag: string;
    versions: {
      version: number;
      runId: string;
      /** True if this run wrote the version. */
      isOfRun: boolean;
      timeMs: number;
      /** Diff from the replaced version. Lines start with a space, + or -. */
      diff: string;
    }[];
  }[];
}

/** An operation's dependencies and conditions. */
interface RunOperationConfig {
  dependsOn?: readonly string[] | undefined;
  when?: readonly { ref: string; equals?: unknown; not?: boolean | undefined }[] | undefined;
}

/** `sent`: the prompt of a run's main call, reconstructed from the store. */
export interface SentView {
  /** Why the prompt cannot be reconstructed. */
  problem?: string | undefined;
  messages: {
    role: string;
    /** Where the message comes from: the chat, the system prompt, or inserted. */
    from: string;
    /** Operations and artifacts that contributed to the message. */
    by: string[];
    text: string;
  }[];
}

/** All views by name. Parameters are strings, as in a URL. */
export interface InspectorViews {
  overview: OverviewView;
  sessions: SessionsView;
  session: SessionView;
  prompt: PromptView;
  compared: ComparedView;
  replay: ReplayView;
  text: TextView;
  gateway: GatewayView;
  pack: PackView;
  catalog: CatalogView;
  resource: ResourceView;
  verify: VerifyView;
  changes: ChangesView;
  query: QueryView;
  plans: PlansView;
  applied: AppliedView;
  runs: RunsView;
  run: RunDetailsView;
  sent: SentView;
}

/** The name of a view. */
export type ViewName = keyof InspectorViews;

/** Parameters of a view. */
export type ViewParameters = Readonly<Record<string, string | undefined>>;

/** The source of the page's data. The page shows an error's message only if the error is a CclError. */
export type InspectorSource = {
  readonly [Name in ViewName]?: (
    parameters: ViewParameters,
    options: { signal: AbortSignal },
  ) => Promise<InspectorViews[Name]>;
};
