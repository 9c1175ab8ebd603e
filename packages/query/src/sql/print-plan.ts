import type { SortKey } from "../plan/logical-plan.ts";
import type {
  PlanColumn,
  TypedAggregateStep,
  TypedJoin,
  TypedStep,
  TypedUnion,
} from "../plan/typed-plan.ts";
import { printAggregate, printExpression } from "./print-expression.ts";

/** Rows within a statement, and the order that ORDER BY must still apply. */
interface Relation {
  table: string;
  columns: readonly PlanColumn[];
  order: readonly (Omit<SortKey, "column"> & { name: string })[];
}

/** The name of a column in statements, since those of a plan may differ only in case, which DuckDB does not see. */
export function columnName(index: number): string {
  return `c${index}`;
}

/**
 * The plan as one SELECT for DuckDB, each step a common table expression. `tables` holds the table of each scan, whose
 * columns are named by `columnName`.
 */
export function printPlan(
  steps: readonly TypedStep[],
  columns: readonly PlanColumn[],
  tables: ReadonlyMap<string, string>,
): string {
  const printer = new PlanPrinter(tables);
  for (const step of steps) printer.add(step);
  return printer.select(steps.at(-1)?.name ?? "", columns);
}

class PlanPrinter {
  readonly #tables: ReadonlyMap<string, string>;
  readonly #relations = new Map<string, Relation>();
  readonly #parts: string[] = [];

  constructor(tables: ReadonlyMap<string, string>) {
    this.#tables = tables;
  }

  select(name: string, columns: readonly PlanColumn[]): string {
    const from = this.#relation(name);
    const values = columns.map((column) => columnIn(from, column.name));
    const head = this.#parts.length === 0 ? "" : `with ${this.#parts.join(", ")} `;
    return `${head}select ${values.join(", ")} from ${from.table} as t${orderClause(from)}`;
  }

  add(step: TypedStep): void {
    if (step.op === "join") return this.#addJoin(step);
    if (step.op === "union") return this.#addUnion(step);
    if (step.op === "scan") {
      const table = this.#tables.get(step.name) ?? "";
      this.#relations.set(step.name, { table, columns: step.columns, order: [] });
      return;
    }
    const from = this.#relation(step.from);
    const all = from.columns.map((column) => columnIn(from, column.name));
    switch (step.op) {
      case "filter":
        return this.#define(step, from, all, ` where ${printExpression(step.where, nameIn(from))}`);
      case "project":
        return this.#define(
          step,
          from,
          step.values.map((value) => printExpression(value, nameIn(from))),
        );
      case "aggregate":
        return this.#addAggregate(step, from);
      case "sort": {
        const order = step.by.map(({ column, ...key }) => ({
          ...key,
          name: columnIn(from, column),
        }));
        this.#relations.set(step.name, { ...from, order: [...order, ...from.order] });
        return;
      }
      case "limit": {
        const limit = ` limit ${step.count} offset ${step.offset}`;
        return this.#define(step, from, all, `${orderClause(from)}${limit}`);
      }
      case "distinct":
        return this.#define(step, { ...from, order: [] }, all, ` group by ${all.join(", ")}`);
    }
  }

  #relation(name: string): Relation {
    return this.#relations.get(name) ?? { table: "", columns: [], order: [] };
  }

  /** Selects values from a relation, and what its order needs. */
  #define(step: TypedStep, from: Relation, values: readonly string[], clause = ""): void {
    const kept = from.order.map(({ name }, index) => `${name} as o${index}`);
    const body = `select ${[...values.map(named), ...kept].join(", ")} from ${from.table} as t${clause}`;
    const order = from.order.map((key, index) => ({ ...key, name: `t.o${index}` }));
    this.#set(step, body, order);
  }

  #set(step: TypedStep, body: string, order: Relation["order"] = []): void {
    const table = `s${this.#parts.length}`;
    this.#parts.push(`${table} as (${body})`);
    this.#relations.set(step.name, { table, columns: step.columns, order });
  }

  #addJoin(step: TypedJoin): void {
    const left = this.#relation(step.left);
    const right = this.#relation(step.right);
    const on = step.on
      .map((key) => {
        const leftKey = printExpression(key.left, nameIn(left, "l"));
        return `${leftKey} = ${printExpression(key.right, nameIn(right, "r"))}`;
      })
      .join(" and ");
    const values = step.columns.map(({ name }, index) =>
      index < step.leftCount
        ? columnIn(left, name, "l")
        : `r.${columnName(index - step.leftCount)}`,
    );
    const head = `select ${values.map(named).join(", ")} from ${left.table} as l`;
    const partners = `${right.table} as r`;
    if (step.kind === "semi" || step.kind === "anti") {
      const not = step.kind === "anti" ? "not " : "";
      return this.#set(step, `${head} where ${not}exists (select 1 from ${partners} where ${on})`);
    }
    this.#set(step, `${head} ${step.kind} join ${partners} on ${on}`);
  }

  #addAggregate(step: TypedAggregateStep, from: Relation): void {
    const keys = step.by.map((key) => printExpression(key, nameIn(from)));
    const values = step.aggregates.map((aggregate) => printAggregate(aggregate, nameIn(from)));
    const groups = keys.length === 0 ? "" : ` group by ${keys.map((_, at) => at + 1).join(", ")}`;
    this.#define(step, { ...from, order: [] }, [...keys, ...values], groups);
  }

  #addUnion(step: TypedUnion): void {
    const selects = step.from.map((name, at) => {
      const from = this.#relation(name);
      const values = (step.values[at] ?? []).map((value) => printExpression(value, nameIn(from)));
      return `select ${values.map(named).join(", ")} from ${from.table} as t`;
    });
    this.#set(step, selects.join(" union all "));
  }
}

const named = (value: string, index: number): string => `${value} as ${columnName(index)}`;

const nameIn =
  (from: Relation, table = "t") =>
  (name: string): string =>
    columnIn(from, name, table);

function columnIn({ columns }: Relation, name: string, table = "t"): string {
  return `${table}.${columnName(columns.findIndex((column) => column.name === name))}`;
}

function orderClause({ order }: Relation): string {
  const keys = order.map(({ name, direction, nulls }) => `${name} ${direction} nulls ${nulls}`);
  return keys.length === 0 ? "" : ` order by ${keys.join(", ")}`;
}
