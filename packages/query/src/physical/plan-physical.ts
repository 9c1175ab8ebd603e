import type { ResourceDetails } from "@ccl/catalog";
import type { Connector, PlanFragment } from "../connector/connector.ts";
import type { FoundConnector } from "../connector/find-connector.ts";
import { hasParameters, scanColumns } from "../connector/scan-columns.ts";
import { simpleCondition } from "../connector/simple-condition.ts";
import type { PlanOperation } from "../plan/logical-plan.ts";
import {
  conjunction,
  conjunctsOf,
  typedInputsOf,
  type PlanColumn,
  type TypedFilter,
  type TypedStep,
  type ValidLogicalPlan,
} from "../plan/typed-plan.ts";
import { derivedName, shownName } from "./derived-name.ts";
import { pruneColumns } from "./prune-columns.ts";
import { pushFilters } from "./push-filters.ts";

/** A fragment, its connector, and the key of that connector. */
export interface PlacedFragment extends PlanFragment {
  connector: string;
  /** The step whose rows it returns. */
  output: string;
}

/** Assigns steps to sources and the engine. It is data, so it can be shown before it runs. */
export interface PhysicalPlan {
  /** The fragments of the sources. Without engine steps there is one, and its rows are the result. */
  fragments: PlacedFragment[];
  /** The remaining steps, which the engine runs over the fragments' rows. Absent if none remain. */
  engine?: { steps: TypedStep[]; columns: PlanColumn[] } | undefined;
  columns: PlanColumn[];
}

/** How steps are placed. */
export interface PlacementOptions {
  connectorOf(resource: ResourceDetails): FoundConnector;
  /** `none`: sources only scan, for comparison. */
  pushdown: "full" | "none";
}

/** Places each step at its source if the source and its catalog entry allow it. The engine gets the rest. */
export function planPhysical(valid: ValidLogicalPlan, options: PlacementOptions): PhysicalPlan {
  // Arguments must reach an API or a function even without pushdown.
  const isPushed =
    options.pushdown === "full" ||
    valid.steps.some((step) => step.op === "scan" && hasParameters(step.resource));
  const pushed = isPushed ? pushFilters(valid.steps) : valid.steps;
  const placer = new Placer(options);
  // Steps that nothing reads are not run.
  const used = usedSteps(pushed);
  const steps = placer.place(pruneColumns(used, valid.columns));
  return assemble(steps, placer, valid.columns);
}

function usedSteps(steps: readonly TypedStep[]): TypedStep[] {
  const used = new Set([steps.at(-1)?.name]);
  for (const step of steps.toReversed())
    if (used.has(step.name)) for (const name of typedInputsOf(step)) used.add(name);
  return steps.filter(({ name }) => used.has(name));
}

class Placer {
  readonly places = new Map<string, FoundConnector | undefined>();
  readonly #options: PlacementOptions;
  /** The resources below a step that runs at a source. */
  readonly #resources = new Map<string, ResourceDetails[]>();

  constructor(options: PlacementOptions) {
    this.#options = options;
  }

  place(steps: readonly TypedStep[]): TypedStep[] {
    return steps.flatMap((step) => this.#placeStep(step));
  }

  #placeStep(step: TypedStep): TypedStep[] {
    if (step.op === "scan") {
      this.places.set(step.name, this.#options.connectorOf(step.resource));
      this.#resources.set(step.name, [step.resource]);
      return [step];
    }
    const resources = typedInputsOf(step).flatMap((name) => this.#resources.get(name) ?? []);
    const found = this.#sourceOf(step);
    const isTaken = found !== undefined && isTakenBy(found.connector, step, resources);
    if (!isTaken && step.op === "filter") {
      if (found !== undefined)
        return this.#splitFilter(step, found, (part) =>
          isTakenBy(found.connector, part, resources),
        );
      const source = this.places.get(step.from);
      const [resource] = resources;
      if (source !== undefined && resource !== undefined && hasParameters(resource))
        return this.#splitFilter(step, source, (part) => isArgument(part, resource));
    }
    this.places.set(step.name, isTaken ? found : undefined);
    this.#resources.set(step.name, resources);
    return [step];
  }

  /** The one source of all inputs, if it and the catalog allow the operation. */
  #sourceOf(step: TypedStep): FoundConnector | undefined {
    const inputs = typedInputsOf(step);
    const places = inputs.map((name) => this.places.get(name));
    const [first] = places;
    if (first === undefined || this.#options.pushdown === "none") return undefined;
    if (places.some((place) => place?.connector !== first.connector)) return undefined;
    const resources = inputs.flatMap((name) => this.#resources.get(name) ?? []);
    return resources.every((resource) => allows(resource, step.op)) ? first : undefined;
  }

  /** Keeps the conjuncts that the source takes there. The others run above. */
  #splitFilter(
    filter: TypedFilter,
    found: FoundConnector,
    isTaken: (part: TypedFilter) => boolean,
  ): TypedStep[] {
    const parts = conjunctsOf(filter.where);
    const taken = parts.filter((part) => isTaken({ ...filter, where: part }));
    const where = conjunction(taken);
    const rest = conjunction(parts.filter((part) => !taken.includes(part)));
    this.places.set(filter.name, where !== undefined && rest === undefined ? found : undefined);
    this.#resources.set(filter.name, this.#resources.get(filter.from) ?? []);
    if (where === undefined || rest === undefined) return [filter];
    const name = derivedName(filter.from, `${shownName(filter.name)} `);
    this.places.set(name, found);
    this.#resources.set(name, this.#resources.get(filter.from) ?? []);
    return [
      { ...filter, name, where },
      { ...filter, from: name, where: rest },
    ];
  }
}

function isTakenBy(
  connector: Connector,
  step: TypedStep,
  resources: readonly ResourceDetails[],
): boolean {
  return connector.operations.has(step.op) && (connector.takes?.(step, resources) ?? true);
}

/** True for a condition that gives a value to a parameter of the resource. */
function isArgument({ where }: TypedFilter, resource: ResourceDetails): boolean {
  const condition = simpleCondition(where);
  if (condition === undefined || (condition.operator !== "eq" && condition.operator !== "in"))
    return false;
  return scanColumns(resource).get(condition.column)?.isParameter === true;
}

/**
 * `pushdown` decides on filter, project and aggregate. `cap` decides on the rest, and if `pushdown`
 * is silent. Without both, all is allowed.
 */
function allows(resource: ResourceDetails, operation: PlanOperation): boolean {
  const { pushdown, cap } = resource;
  const told =
    pushdown?.[
      operation === "distinct"
        ? "aggregate"
        : operation === "union" || operation === "scan"
          ? "join"
          : operation
    ];
  if (told !== undefined) return told;
  if (cap === undefined || cap.length === 0) return true;
  const names: readonly string[] =
    operation === "distinct" ? ["distinct", "aggregate"] : [operation];
  return (
    names.some((name) => cap.includes(name)) || (operation === "union" && cap.includes("join"))
  );
}

/** Cuts the plan where rows leave a source. A step that two readers share is read once at such a point. */
function assemble(
  steps: readonly TypedStep[],
  { places }: Placer,
  columns: PlanColumn[],
): PhysicalPlan {
  const engineSteps = steps.filter(({ name }) => places.get(name) === undefined);
  const read = new Set(engineSteps.flatMap(typedInputsOf));
  const last = steps.at(-1);
  const outputs = steps.filter(
    (step) => places.get(step.name) !== undefined && (read.has(step.name) || step === last),
  );
  const whole = pruneColumns(
    [...outputs.map((step) => asScan(step, steps)), ...engineSteps],
    columns,
  );
  const columnsOfOutput = new Map(whole.map((step) => [step.name, step.columns]));
  const fragments = outputs.flatMap((step): PlacedFragment[] => {
    const place = places.get(step.name);
    const wanted =
      engineSteps.length === 0 ? columns : (columnsOfOutput.get(step.name) ?? step.columns);
    return place === undefined
      ? []
      : [
          {
            connector: place.key,
            output: step.name,
            steps: stepsBelow(steps, step.name),
            columns: wanted,
          },
        ];
  });
  const left = whole.slice(outputs.length);
  return { fragments, columns, engine: left.length > 0 ? { steps: left, columns } : undefined };
}

/** The engine sees a fragment's rows as a table, so only the columns that it reads leave the source. */
function asScan(step: TypedStep, steps: readonly TypedStep[]): TypedStep {
  if (step.op === "scan") return step;
  const scan = stepsBelow(steps, step.name).find(({ op }) => op === "scan");
  if (scan?.op !== "scan") return step;
  return {
    op: "scan",
    name: step.name,
    columns: step.columns,
    resource: scan.resource,
    declaredTypes: step.columns.map(() => undefined),
  };
}

function stepsBelow(steps: readonly TypedStep[], output: string): TypedStep[] {
  const at = steps.findIndex(({ name }) => name === output);
  return usedSteps(steps.slice(0, at + 1));
}
