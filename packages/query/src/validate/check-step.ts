import type { ResourceDetails } from "@ccl/catalog";
import { planColumn, scanColumns } from "../connector/scan-columns.ts";
import { decimalType, isNumeric, typeName, type DataType } from "../plan/data-type.ts";
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
import { mistyped } from "./call-input.ts";
import { allKnown, findColumn, nameHint, type Report, type Scope } from "./check-context.ts";
import { checkCondition, checkExpression } from "./check-expression.ts";
import { commonUnit, mismatch, sameTyped } from "./same-typed.ts";

/** Context for checking a step. */
export interface StepContext {
  resources: ReadonlyMap<string, ResourceDetails>;
  /** Previous steps. An invalid step is undefined, so that nothing is reported twice. */
  steps: ReadonlyMap<string, TypedStep | undefined>;
  now?: string | undefined;
  /** Its paths are relative to the step. */
  report: Report;
}

/** Returns the step with its columns. If anything in it is invalid, reports every issue and returns undefined. */
export function checkStep(context: StepContext, step: PlanStep): TypedStep | undefined {
  if (step.op === "scan") return checkScan(context, step);
  if (step.op === "join") return checkJoin(context, step);
  if (step.op === "union") return checkUnion(context, step);
  const input = inputOf(context, step.from, ["from"]);
  return input && checkOver(input, context, step);
}

/** Checks a step with a single input. */
function checkOver(
  input: TypedStep,
  context: StepContext,
  step: Exclude<PlanStep, ScanStep | JoinStep | UnionStep>,
): TypedStep | undefined {
  const { columns } = input;
  const head = { name: step.name, from: input.name };
  switch (step.op) {
    case "filter": {
      const where = checkCondition(scopeOf(context, input, "where"), step.where);
      return where && { ...head, op: "filter", where, columns };
    }
    case "project": {
      const named = checkNamed(context, input, { items: step.columns, field: "columns" });
      return named && { ...head, op: "project", ...named };
    }
    case "aggregate": {
      const groups = checkGroups(context, input, step);
      return groups && { ...head, op: "aggregate", ...groups };
    }
    case "sort": {
      const keys = step.by.map(({ column }, index) =>
        findColumn(scopeOf(context, input, "by", index), column),
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
  { steps, report }: StepContext,
  name: string,
  path: (string | number)[],
): TypedStep | undefined {
  if (steps.has(name)) return steps.get(name);
  const hint = nameHint(name, steps.keys());
  return report(
    "step_unknown",
    path,
    `There is no step ${quotedName(name)} before this one.${hint}`,
  );
}

/** Returns the scope of an expression at a path in the step. */
function scopeOf(
  { report, now }: StepContext,
  input: TypedStep,
  ...path: (string | number)[]
): Scope {
  return { input, now, report: (code, message) => report(code, path, message) };
}

function checkScan(context: StepContext, step: ScanStep): TypedStep | undefined {
  const { resources, report } = context;
  const resource = resources.get(step.resource);
  const name = quotedName(step.resource);
  if (resource === undefined) {
    const hint = nameHint(step.resource, resources.keys());
    return report("resource_unknown", ["resource"], `There is no resource ${name}.${hint}`);
  }
  const { kind, cap = [] } = resource;
  const isScannable =
    cap.length === 0 || cap.includes("scan") || (kind === "skill" && cap.includes("call"));
  if (!isScannable) {
    const message = `${name} can't be scanned; it can ${cap.slice(0, 10).join(", ")}.`;
    return report("scan_unsupported", ["resource"], message);
  }
  const known = scanColumns(resource);
  const wanted = step.columns ?? [...known.keys()];
  if (wanted.length === 0) {
    const message = `${name} shows no columns; nothing can be read from it.`;
    return report("scan_unsupported", ["columns"], message);
  }
  const found = wanted.map(
    (column, index) =>
      known.get(column) ??
      report(
        "column_unknown",
        ["columns", index],
        `${name} has no column ${quotedName(column)}.${nameHint(column, known.keys())}`,
      ),
  );
  const columns = allKnown(found)?.map(planColumn);
  if (columns === undefined || hasDuplicates(context, columns, "columns")) return undefined;
  return { name: step.name, op: "scan", resource, columns };
}

function hasDuplicates(
  { report }: StepContext,
  columns: readonly PlanColumn[],
  field: string,
): boolean {
  const names = columns.map(({ name }) => name);
  const at = names.findIndex((name, index) => names.indexOf(name) < index);
  if (at < 0) return false;
  const message = `There are two columns ${quotedName(names[at] ?? "")}; name one of them with AS.`;
  report("column_duplicate", [field, at], message);
  return true;
}

function columnOf(name: string | undefined, { type, unit }: TypedValue): PlanColumn {
  return { name: name ?? "", type, unit };
}

function checkNamed(
  context: StepContext,
  input: TypedStep,
  { items, field }: { items: readonly NamedExpression[]; field: string },
): { values: TypedExpression[]; columns: PlanColumn[] } | undefined {
  const values = allKnown(
    items.map(({ value }, index) => checkExpression(scopeOf(context, input, field, index), value)),
  );
  const columns = values?.map((value, index) => columnOf(items[index]?.name, value));
  return values === undefined || columns === undefined || hasDuplicates(context, columns, field)
    ? undefined
    : { values, columns };
}

function checkGroups(
  context: StepContext,
  input: TypedStep,
  step: AggregateStep,
): Pick<TypedAggregateStep, "by" | "aggregates" | "columns"> | undefined {
  const keys = checkNamed(context, input, { items: step.by, field: "by" });
  const aggregates = allKnown(
    step.aggregates.map((aggregate, index) =>
      checkAggregate(scopeOf(context, input, "aggregates", index), aggregate),
    ),
  );
  if (keys === undefined || aggregates === undefined) return undefined;
  const values = aggregates.map((value, index) => columnOf(step.aggregates[index]?.name, value));
  const columns = [...keys.columns, ...values];
  return hasDuplicates(context, columns, "aggregates")
    ? undefined
    : { by: keys.values, aggregates, columns };
}

function checkAggregate(
  scope: Scope,
  { function: name, argument: written }: NamedAggregate,
): TypedAggregate | undefined {
  const argument = written && checkExpression(scope, written);
  if (argument === undefined && written !== undefined) return undefined;
  if (argument === undefined || name === "count" || name === "count_distinct")
    return { function: name, argument, type: { kind: "int" } };
  const { type } = argument;
  if ((name === "sum" || name === "avg") && !isNumeric(type))
    return mistyped({ scope, name }, "numbers", argument);
  return type.kind === "bool"
    ? scope.report("type_mismatch", `${name} of bools has no meaning; count them with a case.`)
    : {
        function: name,
        argument,
        type: aggregateType(name, type),
        unit: commonUnit([argument]),
      };
}

/** Returns an aggregate's type. A sum of decimals can hold 10^12 rows. An average is a float. */
function aggregateType(applied: NamedAggregate["function"], type: DataType): DataType {
  if (applied === "avg") return { kind: "float" };
  return applied === "sum" && type.kind === "decimal"
    ? decimalType(type.precision + 12, type.scale)
    : type;
}

function checkJoin(context: StepContext, step: JoinStep): TypedStep | undefined {
  const left = inputOf(context, step.left, ["left"]);
  const right = inputOf(context, step.right, ["right"]);
  if (left === undefined || right === undefined) return undefined;
  const on = allKnown(
    step.on.map((key, index) => {
      const scope = scopeOf(context, left, "on", index);
      const parts = allKnown([
        checkExpression(scope, { op: "column", name: key.left }),
        checkExpression({ ...scope, input: right }, { op: "column", name: key.right }),
      ]);
      const [leftKey, rightKey] =
        (parts && (sameTyped(parts) ?? mismatch(scope, "The keys of a join", parts))) ?? [];
      return leftKey && rightKey && { left: leftKey, right: rightKey };
    }),
  );
  if (on === undefined) return undefined;
  const { name, kind, prefix = "" } = step;
  const rightColumns =
    kind === "semi" || kind === "anti"
      ? []
      : right.columns.map((column) => ({ ...column, name: `${prefix}${column.name}` }));
  const taken = new Set(left.columns.map((column) => column.name));
  const collision = rightColumns.find((column) => taken.has(column.name));
  if (collision !== undefined) {
    const message = `Both sides have a column ${quotedName(collision.name)}; set prefix, or project one side first.`;
    return context.report("column_duplicate", [], message);
  }
  return {
    name,
    op: "join",
    kind,
    left: left.name,
    right: right.name,
    on,
    leftCount: left.columns.length,
    columns: [...left.columns, ...rightColumns],
  };
}

function checkUnion(context: StepContext, step: UnionStep): TypedStep | undefined {
  const report = (message: string): undefined =>
    context.report("union_mismatch", ["from"], message);
  const inputs = allKnown(
    step.from.map((name, index) => inputOf(context, name, ["from", String(index)])),
  );
  const [first, ...others] = inputs ?? [];
  if (inputs === undefined || first === undefined) return undefined;
  const names = first.columns.map(({ name }) => name);
  const other = others.find(
    ({ columns }) =>
      columns.length !== names.length || columns.some(({ name }) => !names.includes(name)),
  );
  if (other !== undefined)
    return report(
      `Steps ${quotedName(first.name)} and ${quotedName(other.name)} have different columns; project both to the same names.`,
    );
  const byColumn = allKnown(
    names.map((name) => {
      const parts = inputs
        .flatMap(({ columns }) => columns.filter((column) => column.name === name))
        .map((column): TypedExpression => ({ op: "column", ...column }));
      const types = parts.map(({ type }) => typeName(type)).join(", ");
      return (
        sameTyped(parts) ??
        report(`Column ${quotedName(name)} has types without a common one: ${types}.`)
      );
    }),
  );
  if (byColumn === undefined) return undefined;
  const values = inputs.map((_, index) => byColumn.flatMap((parts) => parts[index] ?? []));
  const columns = byColumn.flatMap((parts, index) =>
    parts.slice(0, 1).map(({ type }) => columnOf(names[index], { type, unit: commonUnit(parts) })),
  );
  return { name: step.name, op: "union", from: inputs.map(({ name }) => name), values, columns };
}
