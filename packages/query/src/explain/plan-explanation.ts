import type { PlanOperation } from "../plan/logical-plan.ts";
import type { PlanColumn } from "../plan/typed-plan.ts";
import type { Issue } from "@ccl/core";

/** A step of an explanation. */
export interface ExplainedStep {
  /** The step's name in the plan. */
  name: string;
  op: PlanOperation;
  /** Text for people. Contains the plan's literals. */
  text: string;
}

/** What one scan asks of a source. */
export interface ExplainedSource {
  /** The key of its connector. Without connectors, the prefix of its addresses. */
  source: string;
  name: string;
  /** The resource that is read. */
  resources: string[];
  /** The scan with the conditions that the source gets, or the whole plan if it only reads rows. */
  steps: ExplainedStep[];
  /** The columns that the source returns. */
  columns: PlanColumn[];
  /** Estimated number of returned rows. Undefined if the catalog does not know. */
  rows: number | undefined;
  bytes: number | undefined;
  /** `cost_hint.latency_ms_p50` of the resource. */
  latencyMs: number | undefined;
}

/** An explanation as data. */
export interface ExplanationBody {
  sources: ExplainedSource[];
  /** Steps that DuckDB runs over the rows. Empty if the plan only reads rows. */
  local: ExplainedStep[];
  columns: PlanColumn[];
  /**
   * Sums over the sources, which run one after the other. Undefined if any source's value is
   * unknown.
   */
  cost: { rows: number | undefined; bytes: number | undefined; latencyMs: number | undefined };
  warnings: Issue[];
}

/** What each source is asked for, at what estimated cost, and what runs over its rows. */
export interface PlanExplanation extends ExplanationBody {
  text: string;
}
