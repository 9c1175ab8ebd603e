import { columnsOf, type PlanColumn, type TypedExpression, type TypedStep } from "./typed-plan.ts";

/** Column names that later steps need, by step. */
type Needs = Map<string, Set<string>>;

/** Removes columns that nothing reads, so that no source sends them. A step keeps one column or more. */
export function pruneColumns(
  steps: readonly TypedStep[],
  output: readonly PlanColumn[],
): TypedStep[] {
  const needs: Needs = new Map();
  const last = steps.at(-1);
  if (last !== undefined)
    need(
      needs,
      last.name,
      output.map(({ name }) => name),
    );
  for (const step of steps.toReversed()) collect(step, steps, needs);
  const pruned = new Map<string, TypedStep>();
  for (const step of steps)
    pruned.set(step.name, prune(step, needs.get(step.name) ?? new Set(), pruned));
  return [...pruned.values()];
}

function need(needs: Needs, step: string, names: Iterable<string>): void {
  const known = needs.get(step) ?? new Set();
  for (const name of names) known.add(name);
  needs.set(step, known);
}

function collect(step: TypedStep, steps: readonly TypedStep[], needs: Needs): void {
  // If no column is read, rows are only counted, and one column is enough.
  if ((needs.get(step.name)?.size ?? 0) === 0)
    need(
      needs,
      step.name,
      step.columns.slice(0, 1).map(({ name }) => name),
    );
  const wanted = needs.get(step.name) ?? new Set<string>();
  const read = (from: string, expressions: readonly TypedExpression[]): void =>
    need(needs, from, expressions.flatMap(columnsOf));
  switch (step.op) {
    case "scan":
      return;
    case "filter":
      need(needs, step.from, wanted);
      return read(step.from, [step.where]);
    case "project":
      return read(
        step.from,
        step.values.filter((_, index) => wanted.has(step.columns[index]?.name ?? "")),
      );
    case "join": {
      const right = steps.find(({ name }) => name === step.right)?.columns ?? [];
      for (const [index, { name }] of step.columns.entries()) {
        if (!wanted.has(name)) continue;
        if (index < step.leftCount) need(needs, step.left, [name]);
        else need(needs, step.right, [right[index - step.leftCount]?.name ?? ""]);
      }
      read(
        step.left,
        step.on.map(({ left: key }) => key),
      );
      return read(
        step.right,
        step.on.map(({ right: key }) => key),
      );
    }
    case "aggregate": {
      const kept = step.aggregates.filter((_, index) =>
        wanted.has(step.columns[step.by.length + index]?.name ?? ""),
      );
      return read(step.from, [...step.by, ...kept.flatMap(({ argument }) => argument ?? [])]);
    }
    case "sort":
      need(needs, step.from, wanted);
      return need(
        needs,
        step.from,
        step.by.map(({ column }) => column),
      );
    case "limit":
      return need(needs, step.from, wanted);
    case "union":
      for (const [at, from] of step.from.entries())
        read(
          from,
          (step.values[at] ?? []).filter((_, index) => wanted.has(step.columns[index]?.name ?? "")),
        );
      return;
    case "distinct":
      return need(
        needs,
        step.from,
        step.columns.map(({ name }) => name),
      );
  }
}

/** Keeps the needed items of a list, or the first if none is needed. */
function kept<T>(
  columns: readonly PlanColumn[],
  wanted: ReadonlySet<string>,
  values: readonly T[],
): T[] {
  const chosen = values.filter((_, index) => wanted.has(columns[index]?.name ?? ""));
  return chosen.length > 0 ? chosen : values.slice(0, 1);
}

function prune(
  step: TypedStep,
  wanted: ReadonlySet<string>,
  pruned: ReadonlyMap<string, TypedStep>,
): TypedStep {
  const columnsFrom = (name: string): PlanColumn[] => pruned.get(name)?.columns ?? [];
  const columns = kept(step.columns, wanted, step.columns);
  switch (step.op) {
    case "scan":
      return { ...step, columns };
    case "project":
      return { ...step, columns, values: kept(step.columns, wanted, step.values) };
    case "union":
      return {
        ...step,
        columns,
        values: step.values.map((values) => kept(step.columns, wanted, values)),
      };
    case "aggregate": {
      const names = step.columns.slice(step.by.length);
      const chosen = names.flatMap(({ name }, index) => (wanted.has(name) ? [index] : []));
      const indexes = chosen.length + step.by.length > 0 ? chosen : [0];
      const aggregates = indexes.flatMap((index) => step.aggregates[index] ?? []);
      return {
        ...step,
        aggregates,
        columns: [
          ...step.columns.slice(0, step.by.length),
          ...indexes.flatMap((index) => names[index] ?? []),
        ],
      };
    }
    case "join": {
      const left = columnsFrom(step.left);
      if (step.kind === "semi" || step.kind === "anti")
        return { ...step, columns: left, leftCount: left.length };
      const oldRight = step.columns.slice(step.leftCount);
      const right = columnsFrom(step.right).flatMap(
        ({ name }) => oldRight.find((column) => column.name === `${step.prefix}${name}`) ?? [],
      );
      return { ...step, columns: [...left, ...right], leftCount: left.length };
    }
    default:
      return { ...step, columns: columnsFrom(step.from) };
  }
}
