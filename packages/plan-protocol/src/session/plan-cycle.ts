import { canonicalJson } from "@ccl/core";

import type { ContextBlock } from "../context/context-block.ts";
import type { ContextRequest } from "../plan/plan.ts";

/** A request with its result. It is not reread as long as its file stays the same. */
export interface CycleEntry {
  request: ContextRequest;
  /** Identifies the request, regardless of the file's state. */
  key: string;
  priority: number;
  /** With secrets masked. */
  blocks: ContextBlock[];
  isMasked: boolean;
}

/** State from a goal to its changes: what was requested, read and planned. */
export interface PlanCycle {
  goal: string;
  /** With secrets masked, as in `background`. */
  report?: string | undefined;
  background?: string | undefined;
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
    context: entries.map(({ request, priority, blocks }) => ({
      request,
      priority,
      sha256: hashIn(blocks),
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
      key: requestKey(request),
      priority,
      isMasked: false,
      blocks: sha256 === undefined ? [] : [{ type: request.type, label: "", text: "", sha256 }],
    })),
  };
}

/** Returns the file hash in these blocks. */
export function hashIn(blocks: readonly ContextBlock[]): string | undefined {
  return blocks.find((block) => block.sha256 !== undefined)?.sha256;
}

/** Builds a key from the request's type and all parameters. */
export function requestKey(request: ContextRequest): string {
  return canonicalJson(request);
}
