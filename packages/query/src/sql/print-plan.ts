import type { SortKey } from "../plan/logical-plan.ts";
import type { PlanColumn, TypedExpression, TypedScan, TypedStep } from "../plan/typed-plan.ts";
import { printAggregate, printExpression } from "./print-expression.ts";

/** Rows defined within a statement. */
interface Relation {
  table: string;
  columns: readonly PlanColumn[];
  /** The sort order that ORDER BY still has to apply. */
  order: readonly (Omit<SortKey, "column"> & { name: string })[];
  /** Columns that later steps read. */
  needed: Set<string>;
}

/** A plan printed as a DuckDB statement. */
interface PrintedPlan {
  text: string;
  /** Returns the scan's columns that the statement reads. */
  columnsOf(scan: TypedScan): PlanColumn[];
}

/** Returns a column's name in statements. DuckDB ignores case, but a plan's columns may differ only in case. */
export function columnName(columns: readonly PlanColumn[], name: string): string {
  return `c${columns.findIndex((column) => column.name === name)}`;
}

/** Returns the name of a scan's table in statements. `columnName` names its columns. */
export function tableName(steps: readonly TypedStep[], scan: string): string {
  return `ccl_t${steps.findIndex(({ name }) => name === scan)}`;
}

/** Prints the plan as one SELECT. Each step is a common table expression with the columns that later steps read. */
export function printPlan(
  steps: readonly TypedStep[],
  columns: readonly PlanColumn[],
): PrintedPlan {
  const relations = new Map<string, Relation>();
  for (const step of steps) relations.set(step.name, relationOf(step, relations, steps));
  const relation = (name: string): Relation =>
    relations.get(name) ?? { table: "", columns: [], order: [], needed: new Set() };
  const last = relation(steps.at(-1)?.name ?? "");
  const values = columns.map(({ name }) => columnIn(last, name));
  const parts: string[] = [];
  // A step's readers come after it. They are printed first, so that their columns are known.
  for (const step of steps.toReversed()) {
    if (step.op === "scan" || step.op === "sort") continue;
    const { table, needed } = relation(step.name);
    const keys = step.op === "distinct" ? step.columns.length : keyCount(step);
    const isPrinted = ({ name }: PlanColumn, index: number): boolean =>
      index < keys || needed.has(name) || (needed.size === 0 && index === 0);
    const printed = step.columns.filter(isPrinted);
    parts.unshift(`${table} as (${printStep(step, printed, relation)})`);
  }
  const head = parts.length === 0 ? "" : `with ${parts.join(", ")} `;
  return {
    text: `${head}select ${values.join(", ")} from ${last.table} as t${orderClause(last)}`,
    columnsOf({ name, columns: all }) {
      const { needed } = relation(name);
      const read = all.filter((column) => needed.has(column.name));
      // Rows that are only counted need just one column.
      return read.length > 0 ? read : all.slice(0, 1);
    },
  };
}

function keyCount(step: TypedStep): number {
  return step.op === "aggregate" ? step.by.length : 0;
}

function relationOf(
  step: TypedStep,
  relations: ReadonlyMap<string, Relation>,
  steps: readonly TypedStep[],
): Relation {
  const { columns } = step;
  const from =
    "from" in step && typeof step.from === "string" ? relations.get(step.from) : undefined;
  if (step.op === "sort" && from !== undefined) {
    const order = step.by.map(({ column, ...key }) => ({ ...key, name: columnIn(from, column) }));
    return { ...from, order: [...order, ...from.order] };
  }
  const isOrdered = step.op === "filter" || step.op === "project" || step.op === "limit";
  const kept = isOrdered ? (from?.order ?? []) : [];
  return {
    table: step.op === "scan" ? tableName(steps, step.name) : `s${relations.size}`,
    columns,
    order: kept.map((key, index) => ({ ...key, name: `t.o${index}` })),
    needed: new Set(),
  };
}

type Printed = Exclude<TypedStep, TypedScan | { op: "sort" }>;

function printStep(
  step: Printed,
  printed: readonly PlanColumn[],
  relation: (name: string) => Relation,
): string {
  /** A value for each printed column, under its name. */
  const select = (
    valueOf: (index: number, name: string) => string,
    more: string[] = [],
  ): string => {
    const values = printed.map(({ name }) => {
      const index = step.columns.findIndex((column) => column.name === name);
      return `${valueOf(index, name)} as c${index}`;
    });
    return `select ${[...values, ...more].join(", ")}`;
  };
  if (step.op === "union") {
    const selects = step.from.map((name, at) => {
      const from = relation(name);
      return `${select((index) => valueIn(from, step.values[at]?.[index]))} from ${from.table} as t`;
    });
    return selects.join(" union all ");
  }
  if (step.op === "join") {
    const [left, right] = [relation(step.left), relation(step.right)];
    const on = step.on
      .map((key) => `${valueIn(left, key.left, "l")} = ${valueIn(right, key.right, "r")}`)
      .join(" and ");
    const ofRight = (index: number): string => right.columns[index - step.leftCount]?.name ?? "";
    const head = `${select((index, name) =>
      index < step.leftCount ? columnIn(left, name, "l") : columnIn(right, ofRight(index), "r"),
    )} from ${left.table} as l`;
    const partners = `${right.table} as r`;
    if (step.kind === "inner" || step.kind === "left")
      return `${head} ${step.kind} join ${partners} on ${on}`;
    const not = step.kind === "anti" ? "not " : "";
    return `${head} where ${not}exists (select 1 from ${partners} where ${on})`;
  }
  const from = relation(step.from);
  const end = ` from ${from.table} as t`;
  const order = from.order.map(({ name }, index) => `${name} as o${index}`);
  const same = (_: number, name: string): string => columnIn(from, name);
  switch (step.op) {
    case "filter":
      return `${select(same, order)}${end} where ${valueIn(from, step.where)}`;
    case "project":
      return `${select((index) => valueIn(from, step.values[index]), order)}${end}`;
    case "limit":
      return `${select(same, order)}${end}${orderClause(from)} limit ${step.count} offset ${step.offset}`;
    case "distinct":
      return `select distinct${select(same).slice("select".length)}${end}`;
    case "aggregate": {
      const { by, aggregates } = step;
      const head = select((index) => {
        const aggregate = aggregates[index - by.length];
        return aggregate === undefined
          ? valueIn(from, by[index])
          : printAggregate(aggregate, nameIn(from));
      });
      const groups = by.map((_, at) => at + 1).join(", ");
      return `${head}${end}${groups === "" ? "" : ` group by ${groups}`}`;
    }
  }
}

const nameIn =
  (from: Relation, table = "t") =>
  (name: string): string =>
    columnIn(from, name, table);

function valueIn(from: Relation, value: TypedExpression | undefined, table = "t"): string {
  return value === undefined ? "null" : printExpression(value, nameIn(from, table));
}

/** Refers to a column of a relation and marks it as needed. */
function columnIn({ columns, needed }: Relation, name: string, table = "t"): string {
  needed.add(name);
  return `${table}.${columnName(columns, name)}`;
}

function orderClause({ order }: Relation): string {
  const keys = order.map(({ name, direction, nulls }) => `${name} ${direction} nulls ${nulls}`);
  return keys.length === 0 ? "" : ` order by ${keys.join(", ")}`;
}
