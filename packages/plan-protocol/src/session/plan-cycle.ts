import type { ContextBlock } from "../context/context-block.ts";
import type { ContextRequest } from "../plan/plan.ts";

/** A request with what it gave. */
export interface CycleEntry {
  request: ContextRequest;
  /** Of the request alone, without the state of a file. */
  key: string;
  priority: number;
  /** Secrets masked. */
  blocks: ContextBlock[];
  isMasked: boolean;
}

/** What the workspace gave for one request. */
export type CachedContext = Pick<CycleEntry, "blocks" | "isMasked">;

/** All from a goal to the changes for it: what was asked, what was read, what was planned. */
export interface PlanCycle {
  goal: string;
  /** Secrets masked, like those of `background`. */
  report?: string | undefined;
  background?: string | undefined;
  /** Files whose lines the background shows. */
  shownFiles: readonly string[];
  /** In the order of asking. */
  entries: CycleEntry[];
  cache: Map<string, CachedContext>;
  /** Set once a plan was accepted. */
  savedPlan?: string | undefined;
}

/** A cycle that can change without the other one noticing. */
export function copyCycle(cycle: PlanCycle): PlanCycle {
  return {
    ...cycle,
    entries: cycle.entries.map((entry) => ({ ...entry })),
    cache: new Map(cycle.cache),
  };
}

/** What a session keeps between a plan and its changes. Plain JSON, so that another process can continue with it. */
export interface SavedPlan {
  goal: string;
  /** The steps. */
  summary: string;
  report?: string | undefined;
  background?: string | undefined;
  shownFiles?: readonly string[] | undefined;
  /** What was read for it; a file that has changed since makes the changes a plan once more. */
  context: { request: ContextRequest; priority: number; sha256?: string | undefined }[];
}

/** A cycle whose plan was accepted, as plain JSON. */
export function toSavedPlan({ entries, savedPlan = "", ...cycle }: PlanCycle): SavedPlan {
  const { goal, report, background, shownFiles } = cycle;
  return {
    goal,
    summary: savedPlan,
    report,
    background,
    shownFiles,
    context: entries.map(({ request, priority, blocks }) => ({
      request,
      priority,
      sha256: blocks.find((block) => block.sha256 !== undefined)?.sha256,
    })),
  };
}

/** The other way round, with nothing read yet. */
export function fromSavedPlan({
  summary,
  context,
  shownFiles = [],
  ...saved
}: SavedPlan): PlanCycle {
  return {
    ...saved,
    shownFiles,
    savedPlan: summary,
    cache: new Map(),
    entries: context.map(({ request, priority, sha256 }) => ({
      request,
      key: requestKey(request),
      priority,
      isMasked: false,
      blocks: sha256 === undefined ? [] : [{ type: request.type, label: "", text: "", sha256 }],
    })),
  };
}

/** A request's type and all its parameters, in one order. */
export function requestKey(request: ContextRequest): string {
  if (request.type === "read_file") {
    const { path, start_line: start, end_line: end } = request;
    return `read_file ${JSON.stringify({ path, start_line: start ?? null, end_line: end ?? null })}`;
  }
  if (request.type === "search")
    return `search ${JSON.stringify({ query: request.query, glob: request.glob ?? null })}`;
  if (request.type === "logs")
    return `logs ${JSON.stringify({ source: request.source, last_n: request.last_n ?? null })}`;
  return "env";
}
