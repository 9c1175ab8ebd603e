import type { PlanOperation } from "../plan/logical-plan.ts";
import type { PlanColumn } from "../plan/typed-plan.ts";
import type { Issue } from "@ccl/core";

/** A step of an explanation. */
export interface ExplainedStep {
  /** Name of the step in the plan. */
  name: string;
  op: PlanOperation;
  /** Human-readable text. Contains the plan's literals. */
  text: string;
}

/** What one scan requests from a source. */
export interface ExplainedSource {
  /** The connector's key, or the prefix of the addresses if no connectors were passed. */
  source: string;
  name: string;
  /** The resource to read. */
  resources: string[];
  /** The scan with the conditions sent to the source, or the whole plan if it only reads rows. */
  steps: ExplainedStep[];
  /** The columns that the source returns. */
  columns: PlanColumn[];
  /** Estimated number of returned rows. Undefined if unknown to the catalog. */
  rows: number | undefined;
  bytes: number | undefined;
  /** The resource's `cost_hint.latency_ms_p50`. */
  latencyMs: number | undefined;
}

/** An explanation as data. */
export interface ExplanationBody {
  sources: ExplainedSource[];
  /** Steps that DuckDB runs over the rows. Empty if the plan only reads. */
  local: ExplainedStep[];
  columns: PlanColumn[];
  /** Totals over all sources, which run one after the other. Undefined if any source's value is unknown. */
  cost: { rows: number | undefined; bytes: number | undefined; latencyMs: number | undefined };
  warnings: Issue[];
}

/** Describes what each source is asked for, the estimated cost, and what runs over the rows. */
export interface PlanExplanation extends ExplanationBody {
  text: string;
}
