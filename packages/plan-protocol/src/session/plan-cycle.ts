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
