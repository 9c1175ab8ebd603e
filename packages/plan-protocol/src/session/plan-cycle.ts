import type { ContextBlock } from "../context/context-block.ts";
import type { ContextRequest } from "../plan/plan.ts";

/** A request with its result. It is not reread as long as its file stays the same. */
export interface CycleEntry {
  request: ContextRequest;
  priority: number;
  /** With secrets masked. Undefined if it was not read. From a saved plan, it only has the hash. */
  block?: ContextBlock | undefined;
  isMasked?: boolean | undefined;
  /** Why it could not be read. */
  unread?: string | undefined;
}

/** State from a goal to its changes: what was requested, read and planned. */
export interface PlanCycle extends Omit<SavedPlan, "summary" | "shownFiles" | "context"> {
  /** Files that the background shows in part. */
  shownFiles: readonly string[];
  /** In request order. */
  entries: CycleEntry[];
  /** Steps of the plan that the changes should follow. */
  savedPlan?: string | undefined;
}

/** Session state between a plan and its changes. Plain JSON, so that another process can continue with it. */
export interface SavedPlan {
  goal: string;
  /** The planned steps. */
  summary: string;
  /** With secrets masked, as in `background`. */
  report?: string | undefined;
  background?: string | undefined;
  shownFiles?: readonly string[] | undefined;
  /** The context read for the plan. If a file has changed since, `apply` returns a new plan. */
  context: { request: ContextRequest; priority: number; sha256?: string | undefined }[];
}

/** Converts the cycle of an accepted plan to plain JSON. */
export function toSavedPlan(cycle: PlanCycle, summary: string): SavedPlan {
  const { goal, report, background, shownFiles, entries } = cycle;
  return {
    goal,
    summary,
    report,
    background,
    shownFiles,
    context: entries.map(({ request, priority, block }) => ({
      request,
      priority,
      sha256: block?.sha256,
    })),
  };
}

/** Converts a saved plan back to a cycle in which nothing has been read yet. */
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
      priority,
      block: sha256 === undefined ? undefined : { type: request.type, label: "", text: "", sha256 },
    })),
  };
}
