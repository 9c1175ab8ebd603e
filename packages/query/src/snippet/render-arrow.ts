import { inputsOf, type LogicalPlan, type PlanStep, type SortKey } from "../plan/logical-plan.ts";
import {
  renderAggregate,
  renderExpression,
  renderName,
  renderNamed,
} from "../render/render-expression.ts";

/** The arrow form of a plan, `scan(id)→filter(...)`; undefined where a step is read twice, or not at all, which it cannot say. */
export function renderArrow({ steps }: LogicalPlan): string | undefined {
  const byName = new Map(steps.map((step) => [step.name, step]));
  const read = steps.flatMap(inputsOf);
  const last = steps.at(-1);
  if (last === undefined || read.length !== steps.length - 1 || new Set(read).size !== read.length)
    return undefined;
  return chainOf(last, byName);
}

type Steps = ReadonlyMap<string, PlanStep>;

function chainOf(step: PlanStep, steps: Steps): string | undefined {
  const inputs = inputsOf(step).map((name) => steps.get(name));
  const chains = inputs.map((input) => input && chainOf(input, steps));
  if (chains.some((chain) => chain === undefined)) return undefined;
  const [first = "", ...others] = chains;
  const own = stepText(step, others.map(String));
  if (own === undefined) return undefined;
  return step.op === "scan" ? own : `${first}→${own}`;
}

function stepText(step: PlanStep, others: readonly string[]): string | undefined {
  switch (step.op) {
    case "scan":
      return `scan(${[resourceText(step.resource), ...(step.columns ?? []).map(renderName)].join(", ")})`;
    case "filter":
      return `filter(${renderExpression(step.where)})`;
    case "project":
      return `project(${step.columns.map(renderNamed).join(", ")})`;
    case "join": {
      const name = step.kind === "inner" ? "join" : `${step.kind}_join`;
      const keys = step.on.map(({ left, right }) => `${renderName(left)} = ${renderName(right)}`);
      const prefix =
        step.prefix === undefined || step.prefix === "" ? "" : ` as ${renderName(step.prefix)}`;
      return `${name}(${[...others, ...keys].join(", ")}${prefix})`;
    }
    case "aggregate":
      return `agg(${[...step.by.map(renderNamed), ...step.aggregates.map(renderAggregate)].join(", ")})`;
    case "sort":
      return `sort(${step.by.map(keyText).join(", ")})`;
    case "limit":
      return `limit(${step.count}${step.offset === undefined ? "" : `, ${step.offset}`})`;
    case "union":
      return `union(${others.join(", ")})`;
    case "distinct":
      return "distinct";
  }
}

function resourceText(id: string): string {
  return /^[^\s,()'"]+$/.test(id) ? id : `'${id.replaceAll("'", "''")}'`;
}

function keyText({ column, direction, nulls }: SortKey): string {
  return `${renderName(column)}${direction === "desc" ? " desc" : ""}${nulls === "first" ? " nulls first" : ""}`;
}
