import { numberAt } from "@ccl/core/json";
import type { ResourceDetails } from "@ccl/catalog";
import { findConnector, type Connectors } from "../connector/find-connector.ts";
import type { LogicalPlan } from "../plan/logical-plan.ts";
import { planScans } from "../scans/plan-scans.ts";
import type { TypedStep } from "../plan/typed-plan.ts";
import { validPlan, type ValidateOptions } from "../validate/validate-logical-plan.ts";
import { estimateScan, rowBytes } from "./estimate-scan.ts";
import { conditionText, explanationText, stepText } from "./explanation-text.ts";
import type { ExplainedSource, ExplainedStep, PlanExplanation } from "./plan-explanation.ts";

/** Options of `explainPlan`. */
export interface ExplainOptions extends ValidateOptions {
  /** The connectors that would run the plan. Without them, sources are named by their addresses. */
  connectors?: Connectors | undefined;
}

/**
 * Explains what each source would be asked for and what DuckDB would compute, without sending any requests.
 * Estimates come from the catalog.
 * @throws QueryError `plan_invalid`, `connector_missing`
 */
export function explainPlan(plan: LogicalPlan, options: ExplainOptions): PlanExplanation {
  const valid = validPlan(plan, options);
  const { steps, scans, direct } = planScans(valid);
  const explained = (step: TypedStep): ExplainedStep => {
    const { name, op } = step;
    const written = plan.steps.find((each) => each.name === name);
    return { name, op, text: written === undefined ? "" : stepText(written, step) };
  };
  const sources = scans.map((scan): ExplainedSource => {
    const { resource } = scan;
    const [read] = steps.filter(({ name }) => name === scan.name).map(explained);
    const conditions = scan.conditions.map(conditionText).join(" and ");
    const text = `${read?.text}${conditions && ` where ${conditions}`}`;
    const columns = direct === undefined ? scan.columns : valid.columns;
    const rows = estimateScan(scan);
    return {
      ...sourceOf(resource, options.connectors),
      resources: [resource.id],
      steps: direct === undefined ? [{ name: scan.name, op: "scan", text }] : steps.map(explained),
      columns,
      rows,
      bytes: rows === undefined ? undefined : rows * rowBytes(columns),
      latencyMs: numberAt(resource["cost_hint"], "latency_ms_p50"),
    };
  });
  const body = {
    sources,
    local: direct === undefined ? steps.filter(({ op }) => op !== "scan").map(explained) : [],
    columns: valid.columns,
    cost: {
      rows: total(sources, "rows"),
      bytes: total(sources, "bytes"),
      latencyMs: total(sources, "latencyMs"),
    },
    warnings: valid.warnings,
  };
  return { ...body, text: explanationText(body) };
}

function sourceOf(
  resource: ResourceDetails,
  connectors: Connectors | undefined,
): { source: string; name: string } {
  if (connectors !== undefined) {
    const { key, connector } = findConnector(connectors, resource);
    return { source: key, name: connector.name };
  }
  const { uri, id } = resource;
  const source = (uri ?? id).split(/[?#]/)[0]?.replace(/[^/]*$/, "") ?? id;
  return { source, name: source.replace(/\/$/, "") || id };
}

function total(
  sources: readonly ExplainedSource[],
  name: "rows" | "bytes" | "latencyMs",
): number | undefined {
  const sum = sources.reduce((before, source) => before + (source[name] ?? NaN), 0);
  return Number.isNaN(sum) ? undefined : sum;
}
