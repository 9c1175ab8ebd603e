import type { ResourceDetails } from "@ccl/catalog";
import { planColumn, scanColumns } from "../connector/scan-columns.ts";
import { isNumeric, maxPrecision, typeName, type DataType } from "../plan/data-type.ts";
import type { NamedAggregate, NamedExpression } from "../plan/expression.ts";
import type {
  AggregateStep,
  JoinStep,
  PlanStep,
  ScanStep,
  UnionStep,
} from "../plan/logical-plan.ts";
import type {
  PlanColumn,
  TypedAggregate,
  TypedAggregateStep,
  TypedExpression,
  TypedStep,
  TypedValue,
} from "../plan/typed-plan.ts";
import { quotedName } from "../plan/nearest-name.ts";
import {
  allKnown,
  findColumn,
  nameHint,
  type IssuePath,
  type Report,
  type Scope,
} from "./check-context.ts";
import { checkCondition, checkExpression } from "./check-expression.ts";
import { decimalFor } from "./convert-type.ts";
import { commonUnit, mismatch, sameTyped } from "./same-typed.ts";

/** Context for checking a step. */
export interface StepContext {
  resources: ReadonlyMap<string, ResourceDetails>;
  /** Previous steps. An invalid step is undefined, so that nothing is reported twice. */
  steps: ReadonlyMap<string, TypedStep | undefined>;
  now?: string | undefined;
  report: Report;
  path: IssuePath;
}

/** Returns the step with its columns. If anything in it is invalid, reports every issue and returns undefined. */
export function checkStep(context: StepContext, step: PlanStep): TypedStep | undefined {
  if (step.op === "scan") return checkScan(context, step);
  if (step.op === "join") return checkJoin(context, step);
  if (step.op === "union") return checkUnion(context, step);
  const input = inputOf(context, step.from, "from");
  return input && checkOver(input, context, step);
}

/** Checks a step with a single input. */
function checkOver(
  input: TypedStep,
  context: StepContext,
  step: Exclude<PlanStep, ScanStep | JoinStep | UnionStep>,
): TypedStep | undefined {
  const scope = scopeOf(context, input);
  const { columns } = input;
  const head = { name: step.name, from: input.name };
  switch (step.op) {
    case "filter": {
      const where = checkCondition(scope, step.where, [...context.path, "where"]);
      return where && { ...head, op: "filter", where, columns };
    }
    case "project": {
      const named = checkNamed(context, scope, { items: step.columns, field: "columns" });
      return named && { ...head, op: "project", ...named };
    }
    case "aggregate": {
      const groups = checkGroups(context, scope, step);
      return groups && { ...head, op: "aggregate", ...groups };
    }
    case "sort": {
      const keys = step.by.map(({ column }, index) =>
        findColumn(scope, column, [...context.path, "by", index]),
      );
      return allKnown(keys) && { ...head, op: "sort", by: step.by, columns };
    }
    case "limit":
      return { ...head, op: "limit", count: step.count, offset: step.offset ?? 0, columns };
    case "distinct":
      return { ...head, op: "distinct", columns };
  }
}

function inputOf(
  { steps, report, path }: StepContext,
  name: string,
  field: string,
): TypedStep | undefined {
  if (steps.has(name)) return steps.get(name);
  const hint = nameHint(name, steps.keys());
  return report(
    "step_unknown",
    [...path, field],
    `There is no step ${quotedName(name)} before this one.${hint}`,
  );
}

function scopeOf({ report, now }: StepContext, { name, columns }: TypedStep): Scope {
  const byName = new Map(columns.map((column) => [column.name, column]));
  return { columns: byName, step: name, now, report };
}

function checkScan(context: StepContext, step: ScanStep): TypedStep | undefined {
  const { resources, report, path } = context;
  const resource = resources.get(step.resource);
  if (resource === undefined) {
    const hint = nameHint(step.resource, resources.keys());
    return report(
      "resource_unknown",
      [...path, "resource"],
      `There is no resource ${quotedName(step.resource)}.${hint}`,
    );
  }
  const isCallable = resource.kind === "skill" && resource.cap?.includes("call") === true;
  if (
    resource.cap !== undefined &&
    resource.cap.length > 0 &&
    !resource.cap.includes("scan") &&
    !isCallable
  ) {
    const message = `${quotedName(step.resource)} can't be scanned; it can ${resource.cap.slice(0, 10).join(", ")}.`;
    return report("scan_unsupported", [...path, "resource"], message);
  }
  const known = scanColumns(resource);
  const wanted = step.columns ?? [...known.keys()];
  if (wanted.length === 0) {
    return report(
      "scan_unsupported",
      [...path, "columns"],
      `${quotedName(step.resource)} shows no columns; nothing can be read from it.`,
    );
  }
  const found = wanted.flatMap((name, index) => {
    const column = known.get(name);
    if (column !== undefined) return [column];
    const hint = nameHint(name, known.keys());
    report(
      "column_unknown",
      [...path, "columns", index],
      `${quotedName(step.resource)} has no column ${quotedName(name)}.${hint}`,
    );
    return [];
  });
  const columns = found.map(planColumn);
  if (found.length < wanted.length || hasDuplicates(context, columns, "columns")) return undefined;
  return { name: step.name, op: "scan", resource, columns };
}

function hasDuplicates(
  { report, path }: StepContext,
  columns: readonly PlanColumn[],
  field: string,
): boolean {
  const seen = new Set<string>();
  for (const [index, { name }] of columns.entries()) {
    if (seen.has(name)) {
      report(
        "column_duplicate",
        [...path, field, index],
        `There are two columns ${quotedName(name)}; name one of them with AS.`,
      );
      return true;
    }
    seen.add(name);
  }
  return false;
}

function columnOf(name: string, { type, unit }: TypedValue): PlanColumn {
  return { name, type, unit };
}

function checkNamed(
  context: StepContext,
  scope: Scope,
  { items, field }: { items: readonly NamedExpression[]; field: string },
): { values: TypedExpression[]; columns: PlanColumn[] } | undefined {
  const values = allKnown(
    items.map(({ value }, index) => checkExpression(scope, value, [...context.path, field, index])),
  );
  if (values === undefined) return undefined;
  const columns = values.map((value, index) => columnOf(items[index]?.name ?? "", value));
  return hasDuplicates(context, columns, field) ? undefined : { values, columns };
}

function checkGroups(
  context: StepContext,
  scope: Scope,
  step: AggregateStep,
): Pick<TypedAggregateStep, "by" | "aggregates" | "columns"> | undefined {
  const keys = checkNamed(context, scope, { items: step.by, field: "by" });
  const aggregates = allKnown(
    step.aggregates.map((aggregate, index) =>
      checkAggregate(scope, aggregate, [...context.path, "aggregates", index]),
    ),
  );
  if (keys === undefined || aggregates === undefined) return undefined;
  const values = aggregates.map((value, index) =>
    columnOf(step.aggregates[index]?.name ?? "", value),
  );
  const columns = [...keys.columns, ...values];
  return hasDuplicates(context, columns, "aggregates")
    ? undefined
    : { by: keys.values, aggregates, columns };
}

function checkAggregate(
  scope: Scope,
  { function: applied, argument: given }: NamedAggregate,
  path: IssuePath,
): TypedAggregate | undefined {
  const int: DataType = { kind: "int" };
  if (given === undefined) return { function: applied, type: int };
  const argument = checkExpression(scope, given, path);
  if (argument === undefined) return undefined;
  if (applied === "count" || applied === "count_distinct")
    return { function: applied, argument, type: int };
  const isNumber = isNumeric(argument.type);
  if ((applied === "sum" || applied === "avg") && !isNumber) {
    return scope.report(
      "type_mismatch",
      path,
      `${applied} takes numbers, not ${typeName(argument.type)}.`,
    );
  }
  if (argument.type.kind === "bool")
    return scope.report(
      "type_mismatch",
      path,
      `${applied} of bools has no meaning; count them with a case.`,
    );
  return {
    function: applied,
    argument,
    type: aggregateType(applied, argument.type),
    ...commonUnit([argument]),
  };
}

/** Returns an aggregate's type. A sum of decimals can hold 10^12 rows. An average is a float. */
function aggregateType(applied: NamedAggregate["function"], type: DataType): DataType {
  if (applied === "avg") return { kind: "float" };
  if (applied !== "sum" || type.kind !== "decimal") return type;
  const { precision, scale } = decimalFor(type);
  return { kind: "decimal", precision: Math.min(maxPrecision, precision + 12), scale };
}

function checkJoin(context: StepContext, step: JoinStep): TypedStep | undefined {
  const left = inputOf(context, step.left, "left");
  const right = inputOf(context, step.right, "right");
  if (left === undefined || right === undefined) return undefined;
  const [leftScope, rightScope] = [scopeOf(context, left), scopeOf(context, right)];
  const on = allKnown(
    step.on.map((key, index) => {
      const path = [...context.path, "on", index];
      const parts = allKnown([
        checkExpression(leftScope, { op: "column", name: key.left }, path),
        checkExpression(rightScope, { op: "column", name: key.right }, path),
      ]);
      if (parts === undefined) return undefined;
      const [leftKey, rightKey] = sameTyped(parts) ?? [];
      return leftKey !== undefined && rightKey !== undefined
        ? { left: leftKey, right: rightKey }
        : mismatch(leftScope, path, { what: "The keys of a join", parts });
    }),
  );
  if (on === undefined) return undefined;
  const { name, kind, prefix = "" } = step;
  const isHalf = kind === "semi" || kind === "anti";
  const rightColumns = right.columns.map((column) => ({
    ...column,
    name: `${prefix}${column.name}`,
  }));
  const columns = isHalf ? left.columns : [...left.columns, ...rightColumns];
  const taken = new Set(left.columns.map((column) => column.name));
  const collision = isHalf ? undefined : rightColumns.find((column) => taken.has(column.name));
  if (collision !== undefined) {
    const message = `Both sides have a column ${quotedName(collision.name)}; set prefix, or project one side first.`;
    return context.report("column_duplicate", context.path, message);
  }
  return {
    name,
    op: "join",
    kind,
    left: left.name,
    right: right.name,
    on,
    leftCount: left.columns.length,
    columns,
  };
}

function checkUnion(context: StepContext, step: UnionStep): TypedStep | undefined {
  const inputs = step.from.flatMap(
    (name, index) =>
      inputOf({ ...context, path: [...context.path, "from"] }, name, String(index)) ?? [],
  );
  const [first, ...others] = inputs;
  if (first === undefined || inputs.length < step.from.length) return undefined;
  const names = first.columns.map(({ name }) => name);
  for (const other of others) {
    const missing = names.find((name) => !other.columns.some((column) => column.name === name));
    if (missing === undefined && other.columns.length === names.length) continue;
    const message = `Steps ${quotedName(first.name)} and ${quotedName(other.name)} have different columns; project both to the same names.`;
    return context.report("union_mismatch", [...context.path, "from"], message);
  }
  const byColumn = allKnown(
    names.map((name) => {
      const parts = inputs
        .flatMap(({ columns }) => columns.filter((column) => column.name === name))
        .map((column): TypedExpression => ({ op: "column", ...column }));
      const types = parts.map(({ type }) => typeName(type)).join(", ");
      const message = `Column ${quotedName(name)} has types without a common one: ${types}.`;
      return (
        sameTyped(parts) ?? context.report("union_mismatch", [...context.path, "from"], message)
      );
    }),
  );
  if (byColumn === undefined) return undefined;
  const values = inputs.map((_, index) => byColumn.flatMap((parts) => parts[index] ?? []));
  const columns = byColumn.flatMap((parts, index) => {
    const [value] = parts;
    if (value === undefined) return [];
    return [columnOf(names[index] ?? "", { type: value.type, ...commonUnit(parts) })];
  });
  return { name: step.name, op: "union", from: inputs.map(({ name }) => name), values, columns };
}
