import type { PlanOperation } from "../plan/logical-plan.ts";
import type { PlanColumn } from "../plan/typed-plan.ts";
import type { Issue } from "@ccl/core";

/** A step of an explanation. */
export interface ExplainedStep {
  /** As the plan names it. */
  name: string;
  op: PlanOperation;
  /** For people; holds the plan's literals. */
  text: string;
  /** About so many, as far as the catalog tells. */
  rows: number | undefined;
}

/** What one source does in one go. */
export interface ExplainedSource {
  /** The key of its connector; the beginning of its addresses without connectors. */
  source: string;
  name: string;
  resources: string[];
  steps: ExplainedStep[];
  /** What leaves the source. */
  columns: PlanColumn[];
  rows: number | undefined;
  bytes: number | undefined;
  /** The slowest of its resources' `cost_hint.latency_ms_p50`. */
  latencyMs: number | undefined;
  /** What would be sent, without values; absent without connectors, and where a rule of access is part of it. */
  request?: string | undefined;
}

/** Who would do what, as data. */
export interface ExplanationBody {
  sources: ExplainedSource[];
  /** What stays here; empty where one source does all. */
  local: ExplainedStep[];
  columns: PlanColumn[];
  /** Sums over the sources; undefined where one of them is not known. Sources are asked one after the other. */
  cost: { rows: number | undefined; bytes: number | undefined; latencyMs: number | undefined };
  /** Of the result. */
  rows: number | undefined;
  warnings: Issue[];
}

/** Who would do what. */
export interface PlanExplanation extends ExplanationBody {
  text: string;
}
