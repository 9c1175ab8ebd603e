import { derivedName } from "./derived-name.ts";
import {
  columnsOf,
  conjunction,
  conjunctsOf,
  partsOf,
  typedInputsOf,
  withParts,
  type TypedExpression,
  type TypedFilter,
  type TypedJoin,
  type TypedProject,
  type TypedStep,
} from "../plan/typed-plan.ts";

/**
 * Moves filters as close to their scans as semantics allow: below projects and sorts, into the sides of joins, and merged
 * with other filters. Each source then gets its own part of a condition that spans several.
 */
export function pushFilters(steps: readonly TypedStep[]): TypedStep[] {
  const state: PushState = { steps: [...steps], nextId: 0 };
  // Each pass moves filters down one step or more, and a plan is as deep as its number of steps.
  for (let pass = 0; pass <= steps.length; pass++) if (!pushOnce(state)) break;
  return state.steps;
}

interface PushState {
  steps: TypedStep[];
  nextId: number;
}

function pushOnce(state: PushState): boolean {
  let hasMoved = false;
  for (const filter of state.steps.filter((step) => step.op === "filter")) {
    if (!state.steps.includes(filter)) continue;
    const below = state.steps.find(({ name }) => name === filter.from);
    const readers = state.steps.filter((step) => typedInputsOf(step).includes(filter.from)).length;
    if (below === undefined || readers !== 1) continue;
    if (below.op === "filter") replace(state, [below, filter], merged(below, filter));
    else if (below.op === "sort")
      replace(
        state,
        [below, filter],
        [
          { ...filter, name: below.name, from: below.from },
          { ...below, name: filter.name, from: below.name },
        ],
      );
    else if (below.op === "project") {
      if (!staysShort(below, filter)) continue;
      replace(state, [below, filter], swapped(state, below, filter));
    } else if (below.op !== "join" || !pushIntoJoin(state, below, filter)) continue;
    hasMoved = true;
  }
  return hasMoved;
}

/** Inserts steps at the place of the first old one. Names keep their order, since a filter reads from one step only. */
function replace(state: PushState, old: readonly TypedStep[], put: readonly TypedStep[]): void {
  state.steps = state.steps.flatMap((step) =>
    step === old[0] ? put : old.includes(step) ? [] : [step],
  );
}

function merged(below: TypedFilter, filter: TypedFilter): TypedStep[] {
  const where =
    conjunction([...conjunctsOf(below.where), ...conjunctsOf(filter.where)]) ?? filter.where;
  return [{ ...filter, from: below.from, where }];
}

/** Size limit of a condition that grows on its way down: `x * x as x` doubles it at every project. */
const maxParts = 60;

/** False for a filter that would exceed the limit with what the project computes. */
function staysShort(project: TypedProject, { where }: TypedFilter): boolean {
  const values = new Map(
    project.columns.map(
      ({ name }, index) => [name, partCount(project.values[index], new Map())] as const,
    ),
  );
  return partCount(where, values) <= Math.max(maxParts, partCount(where, new Map()));
}

/** The number of parts of an expression, given the number of parts of its columns. */
function partCount(
  expression: TypedExpression | undefined,
  columns: ReadonlyMap<string, number>,
): number {
  if (expression === undefined) return 0;
  if (expression.op === "column") return columns.get(expression.name) ?? 1;
  return partsOf(expression).reduce((sum, part) => sum + partCount(part, columns), 1);
}

function swapped(state: PushState, project: TypedProject, filter: TypedFilter): TypedStep[] {
  const values = new Map(project.columns.map(({ name }, index) => [name, project.values[index]]));
  const where = substituted(filter.where, values);
  const columns = state.steps.find(({ name }) => name === project.from)?.columns ?? [];
  return [
    { op: "filter", name: project.name, from: project.from, where, columns },
    { ...project, name: filter.name, from: project.name },
  ];
}

/** The expression with columns replaced by their values. */
function substituted(
  expression: TypedExpression,
  values: ReadonlyMap<string, TypedExpression | undefined>,
): TypedExpression {
  if (expression.op === "column") return values.get(expression.name) ?? expression;
  return withParts(expression, (part) => substituted(part, values));
}

function pushIntoJoin(state: PushState, join: TypedJoin, filter: TypedFilter): boolean {
  const leftNames = new Set(join.columns.slice(0, join.leftCount).map(({ name }) => name));
  const right = state.steps.find(({ name }) => name === join.right);
  const left = state.steps.find(({ name }) => name === join.left);
  const rightValues = new Map(
    join.columns.slice(join.leftCount).map(({ name }, index) => {
      const column = right?.columns[index];
      return [name, column && ({ op: "column", ...column } satisfies TypedExpression)];
    }),
  );
  const all = conjunctsOf(filter.where);
  const forLeft = all.filter((part) => columnsOf(part).every((name) => leftNames.has(name)));
  // A condition on the right side of a left join would keep rows whose partner fails it.
  const forRight =
    join.kind === "inner"
      ? all.filter(
          (part) =>
            !forLeft.includes(part) && columnsOf(part).every((name) => rightValues.has(name)),
        )
      : [];
  const rest = conjunction(
    all.filter((part) => !forLeft.includes(part) && !forRight.includes(part)),
  );
  if (left === undefined || right === undefined || forLeft.length + forRight.length === 0)
    return false;
  const put: TypedStep[] = [];
  const add = (input: TypedStep, parts: readonly TypedExpression[]): string => {
    const where = conjunction(parts);
    if (where === undefined) return input.name;
    const name = derivedName(input.name, state.nextId++);
    put.push({ op: "filter", name, from: input.name, where, columns: input.columns });
    return name;
  };
  const leftName = add(left, forLeft);
  const rightName = add(
    right,
    forRight.map((part) => substituted(part, rightValues)),
  );
  const name = rest === undefined ? filter.name : join.name;
  put.push({ ...join, name, left: leftName, right: rightName });
  if (rest !== undefined) put.push({ ...filter, where: rest });
  replace(state, [join, filter], put);
  return true;
}
