import fc, { type GeneratorValue } from "fast-check";
import type { AggregateFunction, Expression, LiteralExpression, NamedAggregate } from "../plan/expression.ts";
import type { FunctionName } from "../plan/functions.ts";
import { literalOf } from "../parse/literal-value.ts";
import type { LogicalPlan, PlanStep } from "../plan/logical-plan.ts";
import { hostileNames } from "./arbitrary-plan.ts";
import { leftColumns, randomValue, rightColumns, type RandomColumn } from "./random-source.ts";

type Kind = RandomColumn["kind"];
interface Known {
  name: string;
  kind: Kind;
}
interface Shape {
  name: string;
  columns: Known[];
}

/** Builds plans that are valid by what it keeps of types itself, without the package's own check. */
export class PlanBuilder {
  readonly #gen: GeneratorValue;
  readonly #steps: PlanStep[] = [];
  #id = 0;

  constructor(gen: GeneratorValue) {
    this.#gen = gen;
  }

  build(): LogicalPlan {
    let shape = this.#scan("res:l", leftColumns);
    const count = this.#upTo(5);
    for (let step = 0; step < count; step++) shape = this.#grow(shape);
    this.#finish(shape);
    return { version: 1, steps: this.#steps };
  }

  #upTo(most: number): number {
    return this.#gen(() => fc.integer({ min: 0, max: most }));
  }

  #pick<T>(items: readonly T[]): T {
    const item = items[this.#upTo(items.length - 1)];
    if (item === undefined) throw new Error("nothing to pick from");
    return item;
  }

  #newName(): string {
    this.#id += 1;
    return `${this.#pick(hostileNames)} ${this.#id}`;
  }

  #scan(resource: string, columns: readonly RandomColumn[]): Shape {
    const name = this.#newName();
    const known = columns.map(({ name: column, kind }) => ({ name: column, kind }));
    this.#steps.push({ name, op: "scan", resource, columns: known.map((column) => column.name) });
    return { name, columns: known };
  }

  #grow(from: Shape): Shape {
    const name = this.#newName();
    const kinds = ["filter", "filter", "project", "aggregate", "join", "union", "distinct", "limited", "now"] as const;
    switch (this.#pick(kinds)) {
      case "filter":
        this.#steps.push({ name, op: "filter", from: from.name, where: this.#bool(from, 2) });
        return { ...from, name };
      case "project":
        return this.#project(from, name);
      case "aggregate":
        return this.#aggregate(from, name);
      case "join":
        return this.#join(from, name);
      case "union": {
        const filtered = this.#newName();
        this.#steps.push({ name: filtered, op: "filter", from: from.name, where: this.#bool(from, 1) });
        this.#steps.push({ name, op: "union", from: [from.name, filtered] });
        return { ...from, name };
      }
      case "distinct":
        this.#steps.push({ name, op: "distinct", from: from.name });
        return { ...from, name };
      case "limited": {
        // All columns are sorted by, so that the rows within the limit are the same everywhere.
        const sorted = this.#sort(from);
        this.#steps.push({ name, op: "limit", from: sorted, count: this.#upTo(6), offset: this.#upTo(2) });
        return { ...from, name };
      }
      case "now": {
        const where: Expression = {
          op: "call",
          function: "gt",
          arguments: [call("now"), literalOf("timestamptz", "2020-01-01T00:00:00Z")],
        };
        this.#steps.push({ name, op: "filter", from: from.name, where });
        return { ...from, name };
      }
    }
  }

  #sort(from: Shape): string {
    const name = this.#newName();
    const by = from.columns.map((column) => ({
      column: column.name,
      direction: this.#pick(["asc", "desc"] as const),
      nulls: this.#pick(["first", "last"] as const),
    }));
    this.#steps.push({ name, op: "sort", from: from.name, by });
    return name;
  }

  #finish(from: Shape): void {
    const sorted = this.#sort(from);
    if (this.#upTo(1) === 0)
      this.#steps.push({
        name: this.#newName(),
        op: "limit",
        from: sorted,
        count: this.#upTo(20),
        offset: this.#upTo(1),
      });
  }

  #project(from: Shape, name: string): Shape {
    const columns: Known[] = [];
    const named = Array.from({ length: 1 + this.#upTo(4) }, () => {
      const kind = this.#pick(["int", "decimal", "float", "bool", "text", "date", "timestamp", "timestamptz"] as const);
      const column = { name: this.#newName(), kind };
      columns.push(column);
      return { name: column.name, value: this.#value(from, kind, 2) };
    });
    this.#steps.push({ name, op: "project", from: from.name, columns: named });
    return { name, columns };
  }

  #aggregate(from: Shape, name: string): Shape {
    const columns: Known[] = [];
    const by = Array.from({ length: this.#upTo(2) }, () => {
      const kind = this.#pick(["int", "text", "bool", "date", "decimal"] as const);
      columns.push({ name: this.#newName(), kind });
      return { name: columns.at(-1)?.name ?? "", value: this.#value(from, kind, 1) };
    });
    const aggregates = Array.from({ length: 1 + this.#upTo(2) }, (): NamedAggregate => {
      const applied = this.#pick<AggregateFunction>(["count", "count_distinct", "sum", "avg", "min", "max"]);
      const isCount = applied === "count" || applied === "count_distinct";
      const isNumber = applied === "sum" || applied === "avg";
      const kind = this.#pick<Kind>(
        isNumber
          ? ["int", "decimal", "float"]
          : isCount
            ? ["int", "text", "bool"]
            : ["int", "text", "date", "timestamp", "decimal", "timestamptz"],
      );
      columns.push({ name: this.#newName(), kind: isCount ? "int" : applied === "avg" ? "float" : kind });
      const aggregate = { name: columns.at(-1)?.name ?? "", function: applied };
      // A column as it is: sums of computed decimals would need more digits at every step.
      return applied === "count" && this.#upTo(1) === 0
        ? aggregate
        : { ...aggregate, argument: this.#value(from, kind, isNumber && kind === "decimal" ? 0 : 1) };
    });
    this.#steps.push({ name, op: "aggregate", from: from.name, by, aggregates });
    return { name, columns };
  }

  #join(from: Shape, name: string): Shape {
    const right = this.#scan("res:r", rightColumns);
    const keys = from.columns.filter(({ kind }) => kind === "int" || kind === "text");
    if (keys.length === 0) return from;
    const key = this.#pick(keys);
    const kind = this.#pick(["inner", "left", "semi", "anti"] as const);
    const prefix = `p${this.#id} `;
    this.#steps.push({
      name,
      op: "join",
      kind,
      left: from.name,
      right: right.name,
      on: [{ left: key.name, right: key.kind === "int" ? "rid" : "rname" }],
      prefix,
    });
    const isHalf = kind === "semi" || kind === "anti";
    return {
      name,
      columns: isHalf
        ? from.columns
        : [...from.columns, ...right.columns.map((column) => ({ ...column, name: prefix + column.name }))],
    };
  }

  #literal(kind: Kind): LiteralExpression {
    return literalOf(kind, randomValue(this.#gen, kind));
  }

  #leaf(from: Shape, kind: Kind): Expression {
    const columns = from.columns.filter((column) => column.kind === kind);
    if (columns.length === 0 || this.#upTo(4) === 0) return this.#literal(kind);
    return { op: "column", name: this.#pick(columns).name };
  }

  #value(from: Shape, kind: Kind, depth: number): Expression {
    if (depth === 0 || this.#upTo(2) === 0) return this.#leaf(from, kind);
    const next = (other: Kind = kind): Expression => this.#value(from, other, depth - 1);
    if (this.#upTo(4) === 0) return call("coalesce", next(), this.#leaf(from, kind));
    if (this.#upTo(5) === 0)
      return {
        op: "case",
        branches: [{ when: this.#bool(from, depth - 1), value: next() }],
        ...(this.#upTo(1) === 0 && { otherwise: next() }),
      };
    if (this.#upTo(6) === 0) return call("null_if", next(), this.#leaf(from, kind));
    switch (kind) {
      case "int":
        return this.#int(next);
      case "decimal":
        return this.#pick([
          () => call("negate", this.#leaf(from, kind)),
          () => call("abs", this.#leaf(from, kind)),
          () => cast(this.#leaf(from, "int"), "decimal(20,2)"),
          () => cast(this.#leaf(from, "float"), "decimal(14,2)"),
        ])();
      case "float":
        return this.#pick([
          () => call("add", next(), next()),
          () => call("divide", next("int"), next("int")),
          () => call("round", next(), literalOf("int", this.#upTo(2))),
          () => cast(next("int"), "float"),
        ])();
      case "bool":
        return this.#bool(from, depth);
      case "text":
        return this.#pick([
          () => call("concat", next(), next()),
          () => call("trim", next()),
          () => call("substring", next(), literalOf("int", 1 + this.#upTo(2)), literalOf("int", this.#upTo(2))),
          () => call("lower", next()),
          () => cast(next("int"), "text"),
          () => cast(next("date"), "text"),
        ])();
      case "date":
        return this.#pick([
          () => call("date", next("timestamp")),
          () => call("date", next("timestamptz"), this.#zone()),
          () =>
            call(
              "date_add",
              next(),
              literalOf("int", this.#upTo(40) - 20),
              literalOf("text", this.#pick(["DAY", "WEEK", "MONTH", "YEAR"])),
            ),
        ])();
      case "timestamp":
        return this.#pick([
          () =>
            call(
              "date_trunc",
              literalOf("text", this.#pick(["year", "quarter", "month", "week", "day", "hour", "minute", "second"])),
              next(),
            ),
          () => call("date_trunc", literalOf("text", this.#pick(["day", "hour"])), next("timestamptz"), this.#zone()),
          () => call("local", next("timestamptz"), this.#zone()),
          () =>
            call(
              "date_add",
              next(),
              literalOf("int", this.#upTo(40) - 20),
              literalOf("text", this.#pick(["hour", "minute", "day", "month"])),
            ),
          () => cast(next("date"), "timestamp"),
        ])();
      case "timestamptz":
        return call(
          "date_add",
          next(),
          literalOf("int", this.#upTo(40) - 20),
          literalOf("text", this.#pick(["hour", "day"])),
        );
    }
  }

  #int(next: (kind?: Kind) => Expression): Expression {
    return this.#pick([
      () => call(this.#pick<FunctionName>(["add", "subtract"]), next(), next()),
      () => call("multiply", next(), literalOf("int", this.#upTo(9))),
      () => call("int_divide", next(), next()),
      () => call("modulo", next(), next()),
      () => call("abs", next()),
      () => call("length", next("text")),
      () => cast(next("decimal"), "int"),
      () => cast(next("float"), "int"),
      () => cast(next("bool"), "int"),
      () => call("days_between", next("date"), next("date")),
      () =>
        call(
          "extract",
          literalOf("text", this.#pick(["year", "quarter", "month", "day", "weekday", "hour", "minute", "second"])),
          next(this.#pick(["date", "timestamp"])),
        ),
      () => call("extract", literalOf("text", "hour"), next("timestamptz"), this.#zone()),
    ])();
  }

  #zone(): LiteralExpression {
    return literalOf("text", this.#pick(["UTC", "UTC", "Europe/Berlin", "America/New_York", "Asia/Kolkata"]));
  }

  #bool(from: Shape, depth: number): Expression {
    const next = (): Expression => (depth > 0 ? this.#bool(from, depth - 1) : this.#leaf(from, "bool"));
    const kind = this.#pick<Kind>(["int", "decimal", "float", "text", "date", "timestamp", "timestamptz"]);
    const value = (): Expression => this.#value(from, kind, depth > 0 ? 1 : 0);
    const text = (): Expression => this.#value(from, "text", 1);
    return this.#pick([
      () => call(this.#pick<FunctionName>(["eq", "ne", "lt", "le", "gt", "ge"]), value(), value()),
      () => call("between", value(), value(), value()),
      (): Expression => ({
        op: "in",
        value: value(),
        list: Array.from({ length: 1 + this.#upTo(2) }, () => this.#literal(kind)),
      }),
      () => call(this.#pick<FunctionName>(["is_null", "is_not_null"]), value()),
      () => call("not", next()),
      () => call(this.#pick<FunctionName>(["and", "or"]), next(), next()),
      () => call(this.#pick<FunctionName>(["contains", "starts_with", "ends_with"]), text(), text()),
      () =>
        call(
          "like",
          text(),
          literalOf("text", this.#pick(["%", "_", "a%", "%b", "\\%%", "_\\_", "[a]%", "*", "%'%", "?", "A_", "\\\\"])),
        ),
      () => this.#leaf(from, "bool"),
    ])();
  }
}

function call(name: FunctionName, ...parts: Expression[]): Expression {
  return { op: "call", function: name, arguments: parts };
}

function cast(value: Expression, type: string): Expression {
  return { op: "cast", value, type };
}
