import { inputsOf } from "../plan/logical-plan.ts";
import {
  columnsOf,
  conjunctsOf,
  partsOf,
  withParts,
  type TypedExpression,
  type TypedJoin,
  type TypedProject,
  type TypedStep,
} from "../plan/typed-plan.ts";

/** Returns how many steps read the named step. */
export function readerCount(steps: readonly TypedStep[], name: string): number {
  return steps.filter((step) => inputsOf(step).includes(name)).length;
}

/**
 * Collects the conditions that every needed row of a scan meets. They come from filters above the scan and pass
 * through projects, sorts and joins that preserve them. They stop at a step with several readers, because the
 * other readers need all rows.
 */
export function scanConditions(steps: readonly TypedStep[]): Map<string, TypedExpression[]> {
  const byName = new Map(steps.map((step) => [step.name, step]));
  const found = new Map<string, TypedExpression[]>();
  const descend = (name: string, part: TypedExpression): void => {
    const step = byName.get(name);
    if (step === undefined || readerCount(steps, name) > 1) return;
    switch (step.op) {
      case "scan":
        found.set(name, [...(found.get(name) ?? []), part]);
        return;
      case "filter":
      case "sort":
        return descend(step.from, part);
      case "project":
        return staysShort(step, part)
          ? descend(step.from, substituted(part, valuesOf(step)))
          : undefined;
      case "join": {
        const isLeft = holdsAll(step.columns.slice(0, step.leftCount), part);
        if (isLeft) return descend(step.left, part);
        // A condition on the right side of a left join would keep rows whose partner fails it.
        const right = rightValues(step, byName.get(step.right));
        if (step.kind === "inner" && holdsAll([...right.keys()], part))
          descend(step.right, substituted(part, right));
      }
    }
  };
  for (const step of steps)
    if (step.op === "filter") for (const part of conjunctsOf(step.where)) descend(step.from, part);
  return found;
}

function holdsAll(columns: readonly (string | { name: string })[], part: TypedExpression): boolean {
  const names = new Set(
    columns.map((column) => (typeof column === "string" ? column : column.name)),
  );
  return columnsOf(part).every((name) => names.has(name));
}

type Values = ReadonlyMap<string, TypedExpression>;

function valuesOf(project: TypedProject): Values {
  return new Map(project.values.map((value, index) => [project.columns[index]?.name ?? "", value]));
}

function rightValues(join: TypedJoin, right: TypedStep | undefined): Values {
  return new Map(
    join.columns.slice(join.leftCount).flatMap(({ name }, index) => {
      const column = right?.columns[index];
      return column === undefined ? [] : [[name, { op: "column", ...column }] as const];
    }),
  );
}

/** Returns the expression with columns replaced by their values. */
function substituted(expression: TypedExpression, values: Values): TypedExpression {
  if (expression.op === "column") return values.get(expression.name) ?? expression;
  return withParts(expression, (part) => substituted(part, values));
}

/** Maximum size of a condition. It can grow on the way to the scan: `x * x as x` doubles it at every project. */
const maxParts = 60;

function staysShort(project: TypedProject, part: TypedExpression): boolean {
  const sizes = new Map(
    [...valuesOf(project)].map(([name, value]) => [name, partCount(value, new Map())] as const),
  );
  return partCount(part, sizes) <= Math.max(maxParts, partCount(part, new Map()));
}

/** Counts the parts of an expression, given the number of parts in each column. */
function partCount(expression: TypedExpression, sizes: ReadonlyMap<string, number>): number {
  if (expression.op === "column") return sizes.get(expression.name) ?? 1;
  return partsOf(expression).reduce((sum, part) => sum + partCount(part, sizes), 1);
}
