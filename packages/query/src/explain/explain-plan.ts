import type { Issue } from "@ccl/core";
import type { ResourceDetails } from "@ccl/catalog";
import type { Connector } from "../connector/connector.ts";
import {
  findConnector,
  type Connectors,
  type FoundConnector,
} from "../connector/find-connector.ts";
import { shownName } from "../physical/derived-name.ts";
import { planPhysical, type PhysicalPlan, type PlacedFragment } from "../physical/plan-physical.ts";
import { allOperations, type LogicalPlan, type PlanOperation } from "../plan/logical-plan.ts";
import { conjunctsOf, type PlanColumn, type TypedStep } from "../plan/typed-plan.ts";
import { QueryError } from "../query-error.ts";
import { visibleResources } from "../validate/visible-resources.ts";
import { validPlan, type ValidateOptions } from "../validate/validate-logical-plan.ts";
import { estimateSteps, rowBytes } from "./estimate-steps.ts";
import { explanationText, stepText } from "./explanation-text.ts";
import type { ExplainedSource, ExplainedStep, PlanExplanation } from "./plan-explanation.ts";

/** What a plan is explained with. */
export interface ExplainOptions extends ValidateOptions {
  /** The connectors that the plan would run with. Without them every source is assumed to do what its cards allow. */
  connectors?: Connectors | undefined;
}

/**
 * Shows which source would run what, before any request. Placement is as in `executePlan`, estimates from the catalog.
 * @throws QueryError `plan_invalid`, `connector_missing`
 */
export function explainPlan(plan: LogicalPlan, options: ExplainOptions): PlanExplanation {
  const valid = validPlan(plan, options);
  const assumed = new Map<string, Connector>();
  const connectorOf = (resource: ResourceDetails): FoundConnector =>
    options.connectors === undefined
      ? assumedConnector(resource, assumed)
      : findConnector(options.connectors, resource);
  const physical = planPhysical(valid, { connectorOf, pushdown: "full" });
  return explanationOf(physical, {
    warnings: valid.warnings,
    connectorOf,
    hasConnectors: options.connectors !== undefined,
    visible: visibleResources(options.details, options),
  });
}

interface ExplanationContext {
  warnings: Issue[];
  connectorOf: (resource: ResourceDetails) => FoundConnector;
  hasConnectors: boolean;
  visible: ReadonlyMap<string, ResourceDetails>;
}

function explanationOf(
  physical: PhysicalPlan,
  { warnings, connectorOf, hasConnectors, visible }: ExplanationContext,
): PlanExplanation {
  const all = [
    ...physical.fragments.flatMap(({ steps }) => steps),
    ...(physical.engine?.steps ?? []),
  ];
  const estimates = estimateSteps(all);
  const seen = (columns: PlanColumn[], resources: readonly ResourceDetails[]): PlanColumn[] =>
    columns.filter(({ name }) => isSeen(name, resources, visible));
  const explained = (step: TypedStep): ExplainedStep => ({
    name: shownName(step.name),
    op: step.op,
    text: stepText(
      step.op === "scan" ? { ...step, columns: seen(step.columns, [step.resource]) } : step,
    ),
    rows: estimates.get(step.name)?.rows,
  });
  const sources = physical.fragments.map((fragment): ExplainedSource => {
    const resources = fragment.steps.flatMap((step) => (step.op === "scan" ? [step.resource] : []));
    const connector = resources[0] === undefined ? undefined : connectorOf(resources[0]).connector;
    const rows = estimates.get(fragment.output)?.rows;
    const columns = seen(fragment.columns, resources);
    return {
      source: fragment.connector,
      name: connector?.name ?? fragment.connector,
      resources: [...new Set(resources.map(({ id }) => id))],
      steps: fragment.steps.map(explained),
      columns,
      rows,
      bytes: rows === undefined ? undefined : rows * rowBytes(columns),
      latencyMs: slowest(resources),
      // A request names the columns that a rule reads.
      ...(hasConnectors && !fragment.steps.some(hasRule) && requestOf(connector, fragment)),
    };
  });
  const local = (physical.engine?.steps ?? []).map(explained);
  const body = {
    sources,
    local,
    columns: physical.columns,
    cost: {
      rows: total(sources.map(({ rows }) => rows)),
      bytes: total(sources.map(({ bytes }) => bytes)),
      latencyMs: total(sources.map(({ latencyMs }) => latencyMs)),
    },
    rows: local.at(-1)?.rows ?? (local.length > 0 ? undefined : sources[0]?.rows),
    warnings,
  };
  return { ...body, text: explanationText(body) };
}

/** False for a column that is hidden in all resources that have it. */
function isSeen(
  name: string,
  resources: readonly ResourceDetails[],
  visible: ReadonlyMap<string, ResourceDetails>,
): boolean {
  const has = ({ columns = [] }: ResourceDetails): boolean =>
    columns.some((column) => column.name === name);
  return !resources.some(has) || resources.some(({ id }) => has(visible.get(id) ?? noResource));
}

const noResource: ResourceDetails = { id: "", kind: "", title: "" };

function hasRule(step: TypedStep): boolean {
  return step.op === "filter" && conjunctsOf(step.where).some(({ isRule }) => isRule === true);
}

function requestOf(
  connector: Connector | undefined,
  fragment: PlacedFragment,
): { request?: string | undefined } {
  const request = connector?.describe?.(fragment);
  return request === undefined ? {} : { request };
}

function total(values: readonly (number | undefined)[]): number | undefined {
  return values.reduce<number | undefined>(
    (sum, value) => (sum === undefined || value === undefined ? undefined : sum + value),
    0,
  );
}

function slowest(resources: readonly ResourceDetails[]): number | undefined {
  const told = resources.map((resource) => {
    const hint = resource["cost_hint"];
    const latency =
      typeof hint === "object" && hint !== null && "latency_ms_p50" in hint
        ? hint.latency_ms_p50
        : undefined;
    return typeof latency === "number" ? latency : undefined;
  });
  return told.every((value) => value !== undefined) ? Math.max(0, ...told) : undefined;
}

const rowOperations: ReadonlySet<PlanOperation> = new Set(["scan", "filter", "limit"]);

/** A source that takes what the cards allow: tables take everything, others return rows by conditions. */
function assumedConnector(
  { uri, id, kind }: ResourceDetails,
  assumed: Map<string, Connector>,
): FoundConnector {
  const key = (uri ?? id).split(/[?#]/)[0]?.replace(/[^/]*$/, "") ?? id;
  const operations = kind === "tabular" ? allOperations : rowOperations;
  const known = assumed.get(`${kind} ${key}`) ?? {
    name: key.replace(/\/$/, "") || id,
    operations,
    run: () => {
      throw new QueryError("connector_missing", "An assumed source runs nothing.");
    },
  };
  assumed.set(`${kind} ${key}`, known);
  return { key, connector: known };
}
