import type { PlanOperation } from "../plan/logical-plan.ts";
import type { PlanColumn } from "../plan/typed-plan.ts";
import type { Issue } from "@ccl/core";

/** A step of an explanation. */
export interface ExplainedStep {
  /** The step's name in the plan. */
  name: string;
  op: PlanOperation;
  /** For people. Contains the plan's literals. */
  text: string;
  /** Estimated rows, as far as the catalog knows. */
  rows: number | undefined;
}

/** What one source runs as one fragment. */
export interface ExplainedSource {
  /** The key of its connector, or the prefix of its addresses without connectors. */
  source: string;
  name: string;
  resources: string[];
  steps: ExplainedStep[];
  /** The columns that the source returns. */
  columns: PlanColumn[];
  rows: number | undefined;
  bytes: number | undefined;
  /** The slowest `cost_hint.latency_ms_p50` of its resources. */
  latencyMs: number | undefined;
  /** The request without values. Absent without connectors, and if an access rule is part of it. */
  request?: string | undefined;
}

/** The placement as data. */
export interface ExplanationBody {
  sources: ExplainedSource[];
  /** Steps that run in the local engine. Empty if one source runs everything. */
  local: ExplainedStep[];
  columns: PlanColumn[];
  /** Sums over the sources, which run one after the other. Undefined if one of them is unknown. */
  cost: { rows: number | undefined; bytes: number | undefined; latencyMs: number | undefined };
  /** Rows of the result. */
  rows: number | undefined;
  warnings: Issue[];
}

/** Which source or engine runs which step, and at what estimated cost. */
export interface PlanExplanation extends ExplanationBody {
  text: string;
}
