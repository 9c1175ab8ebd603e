import type { ContextRecord, PartKind } from "@ccl/core/tracing";

/** Numbers of tokens, by what they were. */
interface TokenShares {
  /** Read from the provider's cache. */
  cached: number;
  fresh: number;
}

/** What there is to look at. */
export interface OverviewView {
  project: string;
  root: string;
  /** Pages that have nothing to show, why, and what to run. */
  missing: { page: string; why: string }[];
}

/** A session of prompts. */
export interface SessionRow {
  id: string;
  /** What recorded it, such as `gateway` or `withContext`, or the program whose log it is. */
  source: string;
  title: string;
  model?: string | undefined;
  /** Milliseconds since the epoch, of the last prompt. */
  timeMs?: number | undefined;
  prompts: number;
  /** Of the last prompt, by estimate. */
  tokens: number;
  /** Of all prompts at list prices, as sent and as they came. */
  usd: number;
  directUsd: number;
  /** How many prompts had no answer, or one with a status from 400 on. */
  failed: number;
  /** From the first prompt to the last. */
  durationMs: number;
}

/** `sessions`: newest first. */
interface SessionsView {
  sessions: SessionRow[];
  /** Files that were left out since they were too many. */
  left: number;
}

/** A prompt of a session, in numbers. */
export interface PromptRow
  extends
    TokenShares,
    Pick<ContextRecord, "budget" | "reported" | "status" | "reason" | "durationMs"> {
  at: number;
  timeMs?: number | undefined;
  /** Before anything was cut. */
  directTokens: number;
  usd: number;
  directUsd: number;
  /** No answer came, or one with a status from 400 on. */
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
  /** Ties a call and its result together. */
  callId?: string | undefined;
  /** As sent. */
  tokens: number;
  /** As it came. */
  directTokens: number;
  isCached: boolean;
  /** What was done to it, such as `cut` or `dropped`; absent where it was sent as it came. */
  form?: string | undefined;
  why?: string | undefined;
  /** How to get the whole. */
  handle?: string | undefined;
  /** The beginning of what was sent; absent where texts were not kept. */
  preview?: string | undefined;
  /** Characters of the whole. */
  length?: number | undefined;
}

/** `prompt`: the parts of one prompt, in the order in which the model read them. */
export interface PromptView {
  session: SessionRow;
  prompt: PromptRow;
  parts: PromptPart[];
}

/** A part of one prompt and its partner in another, by their places. */
export interface ComparedPair {
  /** `unknown` where texts were not kept. */
  change: "same" | "changed" | "removed" | "added" | "moved" | "unknown";
  first?: number | undefined;
  second?: number | undefined;
  /** Lines that begin with a space, + or -; absent where texts were not kept or differ in too many lines. */
  diff?: string | undefined;
}

/** Where a prompt stops being what the one before was, so that a provider reads the rest anew. */
export interface CacheBreak {
  /** The part of the second prompt. */
  second: number;
  /** Bytes of UTF-8 of its text that are still the same; absent where that can't be known. */
  byte?: number | undefined;
  /** False where it may be the same part: its text was not kept. */
  isKnown: boolean;
  /** Of the parts before, which the cache has. */
  keptTokens: number;
  /** Of the first prompt, from here on: no use in the cache any more. */
  lostTokens: number;
  /** What it costs to write these anew, at list prices. */
  usd?: number | undefined;
}

/** `compared`: two prompts, of one session or of two. */
export interface ComparedView {
  pairs: ComparedPair[];
  /** Absent where the second goes on from the first. */
  break?: CacheBreak | undefined;
}

/** `text`: a piece of a long text. */
export interface TextView {
  text: string;
  /** In UTF-16 code units, as `total`. */
  offset: number;
  total: number;
}

/** A sum of money over time, or by kind. */
export interface GatewayPoint {
  timeMs: number;
  usd: number;
  directUsd: number;
  /** Shares from 0 to 1. */
  cachedShare: number;
}

/** What a running gateway says of itself since it started. */
interface LiveGateway {
  url: string;
  /** Why there are no figures, or why the log that was read is not its own. */
  problem?: string | undefined;
  figures?:
    | Record<
        "requests" | "changed" | "upstreamErrors" | "clientsGone" | "usd" | "directUsd",
        number
      >
    | undefined;
}

/** `gateway`: what requests cost and would have cost. Money is by list prices with the cache counted. */
export interface GatewayView {
  requests: number;
  changed: number;
  usd: number;
  directUsd: number;
  /** Sent in all. */
  tokens: TokenShares;
  /** By the provider's own reports. */
  reported: { total: number; cached: number };
  /** One for each request, summed up from the first; up to 500. */
  points: GatewayPoint[];
  /** Tokens sent, by origin and tool, the largest first. */
  kinds: { origin: PartKind; tool?: string | undefined; tokens: number; directTokens: number }[];
  /** Why requests went out as they came, how often. */
  passed: [reason: string, count: number][];
  statuses: [status: string, count: number][];
  /** The costliest first. */
  sessions: SessionRow[];
  /** Absent where no running one was named. */
  live?: LiveGateway | undefined;
}

/** A file of a pack. */
export interface PackFile {
  alias: string;
  path: string;
  rank?: number | undefined;
  score?: number | undefined;
  /** Shares of the score by signal, from 0 to 1. */
  reasons: Readonly<Record<string, number>>;
  words: string[];
  neighbour?: string | undefined;
  commit?: string | undefined;
  /** How much of it is shown; absent where it is not. */
  level?: string | undefined;
  tokens?: number | undefined;
  omitted?: string | undefined;
}

/** `pack`: what a model would read of the project for a task. */
export interface PackView {
  task: string;
  budget: number;
  tokens: number;
  isMatched?: boolean | undefined;
  unmatched: string[];
  files: PackFile[];
  text: string;
}

/** `catalog`: resources that match. */
export interface CatalogView {
  total: number;
  hits: { id: string; kind: string; title: string; fields: string[]; problems: string[] }[];
  /** How many match each value of a facet. */
  facets: Readonly<Record<string, readonly { value: string; count: number }[]>>;
  unmatched: string[];
  /** How many of all resources have each problem that there is. */
  health: { name: string; about: string; count: number }[];
}

/** `verify`: the catalog held against its sources, done anew with the parameter `run`. */
export interface VerifyView {
  /** Absent where that was not done yet. The last four are numbers of findings. */
  verified?:
    | {
        timeMs: number;
        resources: number;
        /** Of these, those whose source answered. */
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

/** `changes`: what differs from the commit of the parameter `since`, the worst first. */
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

/** `resource`: all of one resource. */
export interface ResourceView {
  id: string;
  kind: string;
  title: string;
  facts: { name: string; value: string }[];
  columns: { name: string; type: string; key: string; about: string }[];
  snippets: { title: string; code: string }[];
}

/** Where steps of a query run, one after the other. */
export interface QueryPlace {
  name: string;
  steps: { text: string; rows?: number | undefined }[];
  /** About so many leave it. */
  rows?: number | undefined;
}

/** `query`: the rows of a query, or how it would run. */
export interface QueryView {
  plan: string;
  ranOn: string;
  /** What each source does, and what is done with that; `here` is absent where one source does all. */
  diagram: { sources: QueryPlace[]; here?: QueryPlace | undefined };
  durationMs?: number | undefined;
  columns: { name: string; type?: string | undefined }[];
  rows: Record<string, unknown>[];
}

/** `plans`: what was applied, the newest first, and the change that waits for its confirmation. */
interface PlansView {
  transactions: {
    id: string;
    timeMs: number;
    status: string;
    paths: string[];
    /** Left as they were by a rollback, since someone else had changed them. */
    kept: string[];
    /** The check that failed, or what else rolled it back. */
    why?: string | undefined;
  }[];
  pending?: PendingPlan | undefined;
}

/** What a saved change would do to the files as they are now. */
export interface PendingPlan {
  summary: string;
  /** Why it can't be applied; empty where it can. */
  issues: { code: string; message: string; path?: string | undefined }[];
  changes: {
    path: string;
    kind: string;
    added: number;
    removed: number;
    risks: string[];
    diff: string;
  }[];
}

/** `runs`: runs of operations, the newest first, as many as the parameter `limit` says. */
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

/** An event of a run. Which of the fields it has depends on its type. */
export interface RunEventRow {
  type: string;
  /** Milliseconds since the epoch, as all moments here. */
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

/** `run`: all that is kept of one, as @ccl/operations keeps it; what happened follows from the events. */
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
  /** Absent while it is under way. */
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
  /** The state that its profile keeps in the chat; versions newest first. */
  artifacts: {
    tag: string;
    versions: {
      version: number;
      runId: string;
      /** True where this run wrote it. */
      isOfRun: boolean;
      timeMs: number;
      /** Lines that begin with a space, + or -, against the version that it replaced. */
      diff: string;
    }[];
  }[];
}

/** What has to be done and to hold, so that an operation runs. */
interface RunOperationConfig {
  dependsOn?: readonly string[] | undefined;
  when?: readonly { ref: string; equals?: unknown; not?: boolean | undefined }[] | undefined;
}

/** `sent`: the prompt of a run's main call, put together again from its store. */
export interface SentView {
  /** Why it can't be. */
  problem?: string | undefined;
  messages: {
    role: string;
    /** The chat, the system prompt, or inserted. */
    from: string;
    /** Operations and artifacts that put something into it. */
    by: string[];
    text: string;
  }[];
}

/** Each view by its name. Parameters are texts, as in an address. */
export interface InspectorViews {
  overview: OverviewView;
  sessions: SessionsView;
  session: SessionView;
  prompt: PromptView;
  compared: ComparedView;
  text: TextView;
  gateway: GatewayView;
  pack: PackView;
  catalog: CatalogView;
  resource: ResourceView;
  verify: VerifyView;
  changes: ChangesView;
  query: QueryView;
  plans: PlansView;
  runs: RunsView;
  run: RunDetailsView;
  sent: SentView;
}

/** The name of a view. */
export type ViewName = keyof InspectorViews;

/** Parameters of a view. */
export type ViewParameters = Readonly<Record<string, string | undefined>>;

/** Where a page's data comes from. What a view throws is shown with its message where it is a CclError. */
export type InspectorSource = {
  readonly [Name in ViewName]?: (
    parameters: ViewParameters,
    options: { signal: AbortSignal },
  ) => Promise<InspectorViews[Name]>;
};
