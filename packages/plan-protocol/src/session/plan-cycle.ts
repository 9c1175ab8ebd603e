import type { ContextBlock } from "../context/context-block.ts";
import type { ContextRequest } from "../plan/plan.ts";

/** A request with what it gave, which is not read again as long as its file stays the same. */
export interface CycleEntry {
  request: ContextRequest;
  /** Of the request alone, without the state of a file. */
  key: string;
  priority: number;
  /** Secrets masked. */
  blocks: ContextBlock[];
  isMasked: boolean;
}

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
  /** Set once a plan was accepted. */
  savedPlan?: string | undefined;
}

/** A cycle that can change without the other one noticing. */
export function copyCycle(cycle: PlanCycle): PlanCycle {
  return { ...cycle, entries: cycle.entries.map((entry) => ({ ...entry })) };
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
      sha256: hashIn(blocks),
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
    entries: context.map(({ request, priority, sha256 }) => ({
      request,
      key: requestKey(request),
      priority,
      isMasked: false,
      blocks: sha256 === undefined ? [] : [{ type: request.type, label: "", text: "", sha256 }],
    })),
  };
}

/** The hash of the file that blocks show. */
export function hashIn(blocks: readonly ContextBlock[]): string | undefined {
  return blocks.find((block) => block.sha256 !== undefined)?.sha256;
}

const PARAMETERS: Readonly<Record<ContextRequest["type"], readonly string[]>> = {
  read_file: ["path", "start_line", "end_line"],
  search: ["query", "glob"],
  logs: ["source", "last_n"],
  env: [],
};

/** A request's type and all its parameters, in one order. */
export function requestKey(request: ContextRequest): string {
  const given: Readonly<Record<string, unknown>> = { ...request };
  const parameters = PARAMETERS[request.type].map((name) => [name, given[name] ?? null]);
  return request.type === "env"
    ? "env"
    : `${request.type} ${JSON.stringify(Object.fromEntries(parameters))}`;
}
