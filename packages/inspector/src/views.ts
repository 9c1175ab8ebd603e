import type { Issue } from "@ccl/core";
import type { ContextRecord, PartKind } from "@ccl/core/tracing";

/** Token counts by cache state. */
interface TokenShares {
  /** Read from the provider's cache. */
  cached: number;
  fresh: number;
}

/** The project, and the pages that have data. */
export interface OverviewView {
  project: string;
  root: string;
  /** Pages without data, the reason, and the command that provides the data. */
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
  /** Estimated tokens of the last prompt. */
  tokens: number;
  /** Cost of all prompts at list prices, as sent and if unchanged. */
  usd: number;
  directUsd: number;
  /** Prompts without an answer, or with a status from 400 on. */
  failed: number;
  /** Time from the first prompt to the last. */
  durationMs: number;
}

/** `sessions`: newest first. */
interface SessionsView {
  sessions: SessionRow[];
  /** Number of files left out to limit the list. */
  left: number;
}

/** The metrics of one prompt. */
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
  /** True if no answer came, or one with a status from 400 on. */
  isFailed: boolean;
}

/** `session`: its prompts in order. */
interface SessionView {
  session: SessionRow;
  prompts: PromptRow[];
}

/** A part of a prompt. */
export interface PromptPart {
  at: number;
  origin: PartKind;
  tool?: string | undefined;
  /** Links a call and its result. */
  callId?: string | undefined;
  /** Tokens as sent. */
  tokens: number;
  /** Tokens before changes. */
  directTokens: number;
  isCached: boolean;
  /** How the part was changed, such as `cut` or `dropped`. Absent if it was sent unchanged. */
  form?: string | undefined;
  why?: string | undefined;
  /** How to get the full text. */
  handle?: string | undefined;
  /** The beginning of what was sent. Absent if texts were not stored. */
  preview?: string | undefined;
  /** Length of the full text in characters. */
  length?: number | undefined;
}

/** `prompt`: the parts of one prompt, in the order in which the model read them. */
export interface PromptView {
  session: SessionRow;
  prompt: PromptRow;
  parts: PromptPart[];
}

/** A part of one prompt and its counterpart in another, by index. */
export interface ComparedPair {
  /** `unknown` if texts were not stored. */
  change: "same" | "changed" | "removed" | "added" | "moved" | "unknown";
  first?: number | undefined;
  second?: number | undefined;
  /** Lines that begin with a space, + or -. Absent if texts were not stored or too many lines differ. */
  diff?: string | undefined;
}

/**
 * Where a prompt leaves the prefix of the previous one. The provider must process everything after
 * it again.
 */
export interface CacheBreak {
  /** Index of the part in the second prompt. */
  second: number;
  /** Length of the unchanged prefix of its text in UTF-8 bytes. Absent if unknown. */
  byte?: number | undefined;
  /** False if the part may be unchanged, because its text was not stored. */
  isKnown: boolean;
  /** Tokens before the break, which the cache holds. */
  keptTokens: number;
  /** Tokens of the first prompt after the break, whose cache is no longer used. */
  lostTokens: number;
  /** The cost of writing the lost tokens to the cache again, at list prices. */
  usd?: number | undefined;
}

/** `compared`: two prompts, of one session or of two. */
export interface ComparedView {
  pairs: ComparedPair[];
  /** Absent if the second prompt extends the first. */
  break?: CacheBreak | undefined;
}

/** A prompt with another budget. */
export interface ReplayedPrompt {
  at: number;
  /** What was sent, and its cost at list prices. */
  sentTokens: number;
  usd: number;
  /** Absent if the required messages alone exceed the budget. `problem` then has the reason. */
  tokens?: number | undefined;
  /** Tokens of the prefix that equals the previous prompt. */
  cached?: number | undefined;
  replayedUsd?: number | undefined;
  problem?: string | undefined;
  /**
   * Values that the calls of the answer used and that this prompt would have hidden. `part` is the
   * index of the part that holds the value.
   */
  regrets: { value: string; part: number; tool?: string | undefined }[];
}

/** `replay`: a session with another budget or policy. */
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

/** The statistics of a running gateway since its start. */
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
 * `gateway`: the actual cost of requests, and the cost without shortening. Uses list prices and includes the provider's
 * cache.
 */
export interface GatewayView {
  requests: number;
  changed: number;
  usd: number;
  directUsd: number;
  /** Total tokens sent. */
  tokens: TokenShares;
  /** Totals of the provider's reports. */
  reported: { total: number; cached: number };
  /** One point per request with cumulative sums, up to 500. */
  points: GatewayPoint[];
  /** Tokens sent by origin and tool, largest first. */
  kinds: { origin: PartKind; tool?: string | undefined; tokens: number; directTokens: number }[];
  /** Why requests were sent unchanged, with counts. */
  passed: [reason: string, count: number][];
  statuses: [status: string, count: number][];
  /** Highest cost first. */
  sessions: SessionRow[];
  /** Absent if no running gateway was specified. */
  live?: LiveGateway | undefined;
}

/** A file of a pack, in the format of @ccl/aliases. */
export interface PackFile {
  alias: string;
  path: string;
  rank?: number | undefined;
  score?: number | undefined;
  /** Each signal's share of the score, from 0 to 1. */
  parts?: Readonly<Record<string, number>> | undefined;
  /** Words of the task that it contains. */
  matched?: readonly string[] | undefined;
  commit?: string | undefined;
  /** How much of the file is shown. Absent if it is not shown. */
  level?: string | undefined;
  tokens?: number | undefined;
  /** Why it is shown or left out. */
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

/** `catalog`: the resources that match. */
export interface CatalogView {
  total: number;
  hits: { id: string; kind: string; title: string; fields: string[]; problems: string[] }[];
  /** The number of matches for each value of a facet. */
  facets: Readonly<Record<string, readonly { value: string; count: number }[]>>;
  unmatched: string[];
  /** The number of resources with each problem. */
  health: { name: string; about: string; count: number }[];
}

/** `verify`: compares the catalog with its sources. The parameter `run` starts a new verification. */
export interface VerifyView {
  /** Absent before the first verification. The last four fields count findings. */
  verified?:
    | {
        timeMs: number;
        resources: number;
        /** Resources whose source answered. */
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

/** `changes`: the differences from the commit in the parameter `since`, worst first. */
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

/** `resource`: all details of one resource. */
export interface ResourceView {
  id: string;
  kind: string;
  title: string;
  facts: { name: string; value: string }[];
  columns: { name: string; type: string; key: string; about: string }[];
  snippets: { title: string; code: string }[];
}

/** Steps of a query that run in one place, in order. */
export interface QueryPlace {
  name: string;
  steps: { text: string; rows?: number | undefined }[];
  /** Estimated number of rows that it returns. */
  rows?: number | undefined;
}

/** `query`: the rows of a query, or where it would run. */
export interface QueryView {
  plan: string;
  ranOn: string;
  /** The steps of each source, and those on their results. `here` is absent if one source runs everything. */
  diagram: { sources: QueryPlace[]; here?: QueryPlace | undefined };
  durationMs?: number | undefined;
  columns: { name: string; type?: string | undefined }[];
  rows: Record<string, unknown>[];
}

/** `plans`: applied transactions, newest first, and the change that waits for confirmation. */
interface PlansView {
  transactions: readonly {
    transactionId: string;
    timeMs: number;
    status: string;
    paths: readonly string[];
    /** Files that a rollback did not restore, because someone else had changed them. */
    keptPaths: readonly string[];
    /** The failed check, or another reason for the rollback. */
    why?: string | undefined;
  }[];
  pending?: PendingPlan | undefined;
}

/** `applied`: what the transaction `id` changed, also after a rollback. Absent if its journal has no diff. */
interface AppliedView {
  diff?: string | undefined;
}

/** The effect that a saved change would have on the current files. */
export interface PendingPlan {
  summary: string;
  /** Why it cannot be applied. Empty if it can. */
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

/** `run`: all stored data of a run, in the format of @ccl/operations. The events show what happened. */
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
      /** True if this run wrote it. */
      isOfRun: boolean;
      timeMs: number;
      /** The diff from the replaced version: lines that begin with a space, + or -. */
      diff: string;
    }[];
  }[];
}

/** Dependencies and conditions of an operation. */
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
    /** The message's origin: the chat, the system prompt, or inserted. */
    from: string;
    /** Operations and artifacts that contributed to the message. */
    by: string[];
    text: string;
  }[];
}

/** The views by name. Parameters are strings, as in a URL. */
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

/** The source of a page's data. The page shows the message of an error only if it is a CclError. */
export type InspectorSource = {
  readonly [Name in ViewName]?: (
    parameters: ViewParameters,
    options: { signal: AbortSignal },
  ) => Promise<InspectorViews[Name]>;
};
