import type { GeneratorValue } from "fast-check";
import type { AggregateFunction, Expression, NamedAggregate } from "../plan/expression.ts";
import { literalOf } from "../parse/literal-value.ts";
import type { LogicalPlan, PlanStep } from "../plan/logical-plan.ts";
import { hostileNames } from "./arbitrary-plan.ts";
import { RandomExpressions, type KnownColumn } from "./random-expressions.ts";
import { leftColumns, rightColumns, type RandomColumn, type RandomKind } from "./random-source.ts";

interface Shape {
  name: string;
  columns: KnownColumn[];
}

const growths = [
  "filter",
  "filter",
  "few",
  "few",
  "project",
  "aggregate",
  "join",
  "join",
  "union",
  "mixed union",
  "distinct",
  "limited",
  "tied",
  "now",
] as const;

/** The right columns that a left column may be joined with. */
const partners: Partial<Record<RandomKind, readonly string[]>> = {
  int: ["rid", "rk", "rate", "wide"],
  big: ["rid", "rk"],
  decimal: ["rate", "rk"],
  wide: ["wide", "rk"],
  float: ["rk", "rate"],
  huge: ["rk"],
  text: ["rname"],
  date: ["rday"],
  timestamp: ["rday"],
};

/** Kinds of one column in the two inputs of a union, and its kind in the result. */
const mixtures: readonly (readonly [left: RandomKind, right: RandomKind, union: RandomKind])[] = [
  ["int", "decimal", "decimal"],
  ["decimal", "int", "decimal"],
  ["int", "float", "float"],
  ["float", "decimal", "float"],
  ["date", "timestamp", "timestamp"],
  ["timestamp", "date", "timestamp"],
  ["decimal", "wide", "wide"],
  ["big", "int", "big"],
  ["text", "text", "text"],
];

/** Builds valid plans. It tracks types itself, without the package's own check. */
export class PlanBuilder {
  readonly #random: RandomExpressions;
  readonly #steps: PlanStep[] = [];
  #id = 0;

  readonly #left: readonly RandomColumn[];
  readonly #right: readonly RandomColumn[];

  /** Over the columns of both tables that the author knows. */
  constructor(
    gen: GeneratorValue,
    left: readonly RandomColumn[] = leftColumns,
    right: readonly RandomColumn[] = rightColumns,
  ) {
    this.#random = new RandomExpressions(gen);
    this.#left = left;
    this.#right = right;
  }

  build(): LogicalPlan {
    let shape =
      this.#random.upTo(4) === 0 ? this.#scan("res:r", this.#right) : this.#scan("res:l", this.#left);
    if (this.#random.upTo(1) === 0) shape = this.#few(shape, this.#newName());
    const count = this.#random.upTo(5);
    for (let step = 0; step < count; step++) shape = this.#grow(shape);
    this.#finish(shape);
    return { version: 1, steps: this.#steps };
  }

  #newName(): string {
    this.#id += 1;
    return `${this.#random.pick(hostileNames)} ${this.#id}`;
  }

  #scan(resource: string, columns: readonly RandomColumn[]): Shape {
    const name = this.#newName();
    const known = columns.map(({ name: column, kind }) => ({ name: column, kind }));
    this.#steps.push({ name, op: "scan", resource, columns: known.map((column) => column.name) });
    return { name, columns: known };
  }

  #grow(from: Shape): Shape {
    const name = this.#newName();
    const random = this.#random;
    switch (random.pick(growths)) {
      case "filter":
        this.#steps.push({ name, op: "filter", from: from.name, where: random.bool(from, 2) });
        return { ...from, name };
      case "few":
        return this.#few(from, name);
      case "project":
        return this.#project(from, name);
      case "aggregate":
        return this.#aggregate(from, name);
      case "join":
        return this.#join(from, name);
      case "union": {
        const filtered = this.#newName();
        this.#steps.push({ name: filtered, op: "filter", from: from.name, where: random.bool(from, 1) });
        this.#steps.push({ name, op: "union", from: [from.name, filtered] });
        return { ...from, name };
      }
      case "mixed union":
        return this.#mixedUnion(from, name);
      case "distinct":
        this.#steps.push({ name, op: "distinct", from: from.name });
        return { ...from, name };
      case "limited": {
        // Sorts by all columns, so that the rows within the limit are the same everywhere.
        const sorted = this.#sort(from, from.columns);
        this.#steps.push({ name, op: "limit", from: sorted, count: random.upTo(6), offset: random.upTo(2) });
        return { ...from, name };
      }
      case "tied":
        return this.#tied(from, name);
      case "now": {
        const where: Expression = {
          op: "call",
          function: "gt",
          arguments: [
            { op: "call", function: "now", arguments: [] },
            literalOf("timestamptz", "2020-01-01T00:00:00Z"),
          ],
        };
        this.#steps.push({ name, op: "filter", from: from.name, where });
        return { ...from, name };
      }
    }
  }

  #few(from: Shape, name: string): Shape {
    const first = this.#random.comparison(from);
    const where: Expression =
      this.#random.upTo(2) === 0
        ? { op: "call", function: "and", arguments: [first, this.#random.comparison(from)] }
        : first;
    this.#steps.push({ name, op: "filter", from: from.name, where });
    return { ...from, name };
  }

  #sort(from: Shape, columns: readonly KnownColumn[]): string {
    const name = this.#newName();
    const by = columns.map((column) => ({
      column: column.name,
      direction: this.#random.pick(["asc", "desc"] as const),
      nulls: this.#random.pick(["first", "last"] as const),
    }));
    this.#steps.push({ name, op: "sort", from: from.name, by });
    return name;
  }

  /** A limit may keep any row of a tie, so only the sorted columns are passed on. */
  #tied(from: Shape, name: string): Shape {
    const random = this.#random;
    const keys = from.columns.filter(() => random.upTo(2) === 0).slice(0, 3);
    const columns = keys.length > 0 ? keys : from.columns.slice(0, 1);
    const sorted = this.#sort(from, columns);
    const limited = this.#newName();
    this.#steps.push({ name: limited, op: "limit", from: sorted, count: random.upTo(6), offset: random.upTo(3) });
    const kept = columns.map((column) => ({ name: column.name, value: { op: "column" as const, name: column.name } }));
    this.#steps.push({ name, op: "project", from: limited, columns: kept });
    return { name, columns };
  }

  #finish(from: Shape): void {
    const sorted = this.#sort(from, from.columns);
    const random = this.#random;
    if (random.upTo(1) === 0)
      this.#steps.push({
        name: this.#newName(),
        op: "limit",
        from: sorted,
        count: random.upTo(20),
        offset: random.upTo(1),
      });
  }

  #project(from: Shape, name: string): Shape {
    const random = this.#random;
    const kinds = Array.from({ length: 1 + random.upTo(4) }, () =>
      random.pick([
        "int",
        "big",
        "decimal",
        "wide",
        "float",
        "huge",
        "bool",
        "text",
        "date",
        "timestamp",
        "timestamptz",
      ] as const),
    );
    const columns = kinds.map((kind) => ({ name: this.#newName(), kind }));
    return this.#projected(from, { name, columns });
  }

  #projected(from: Shape, shape: Shape): Shape {
    const columns = shape.columns.map(({ name, kind }) => ({ name, value: this.#random.value(from, kind, 2) }));
    this.#steps.push({ name: shape.name, op: "project", from: from.name, columns });
    return shape;
  }

  #mixedUnion(from: Shape, name: string): Shape {
    const random = this.#random;
    const mixed = Array.from({ length: 1 + random.upTo(2) }, () => ({
      name: this.#newName(),
      kinds: random.pick(mixtures),
    }));
    const sides = ([0, 1] as const).map((side) => {
      const columns = mixed.map((column) => ({ name: column.name, kind: column.kinds[side] }));
      // A union matches columns by name.
      const inOrder = side === 0 ? columns : columns.toReversed();
      return this.#projected(from, { name: this.#newName(), columns: inOrder }).name;
    });
    this.#steps.push({ name, op: "union", from: sides });
    return { name, columns: mixed.map((column) => ({ name: column.name, kind: column.kinds[2] })) };
  }

  #aggregate(from: Shape, name: string): Shape {
    const random = this.#random;
    const by = Array.from({ length: random.upTo(2) }, () => {
      const kind = random.pick(["int", "big", "text", "bool", "date", "decimal", "wide", "huge"] as const);
      return { name: this.#newName(), kind, value: random.value(from, kind, 1) };
    });
    const aggregates = Array.from({ length: 1 + random.upTo(2) }, () => this.#namedAggregate(from));
    this.#steps.push({
      name,
      op: "aggregate",
      from: from.name,
      by: by.map(({ name: key, value }) => ({ name: key, value })),
      aggregates: aggregates.map(({ aggregate }) => aggregate),
    });
    const results = aggregates.map(({ aggregate, kind }) => ({ name: aggregate.name, kind }));
    return { name, columns: [...by.map(({ name: key, kind }) => ({ name: key, kind })), ...results] };
  }

  #namedAggregate(from: Shape): { aggregate: NamedAggregate; kind: RandomKind } {
    const random = this.#random;
    const applied = random.pick<AggregateFunction>(["count", "count_distinct", "sum", "avg", "min", "max"]);
    const isCount = applied === "count" || applied === "count_distinct";
    const isNumber = applied === "sum" || applied === "avg";
    const kind = random.pick<RandomKind>(
      isNumber
        ? ["int", "decimal", "wide", "float"]
        : isCount
          ? ["int", "big", "wide", "huge", "text", "bool", "timestamptz"]
          : ["int", "big", "text", "date", "timestamp", "decimal", "wide", "huge", "timestamptz"],
    );
    const aggregate = { name: this.#newName(), function: applied };
    if (applied === "count" && random.upTo(1) === 0) return { aggregate, kind: "int" };
    // Aggregates a plain column, because sums of computed decimals would need more digits at every
    // step.
    const argument = random.value(from, kind, isNumber && kind === "decimal" ? 0 : 1);
    return { aggregate: { ...aggregate, argument }, kind: isCount ? "int" : applied === "avg" ? "float" : kind };
  }

  #join(from: Shape, name: string): Shape {
    const random = this.#random;
    const keys = from.columns.filter(({ kind }) => partners[kind] !== undefined);
    if (keys.length === 0) return from;
    const right = this.#scan("res:r", this.#right);
    const kind = random.pick(["inner", "left", "semi", "anti"] as const);
    const prefix = `p${this.#id} `;
    const on = Array.from({ length: 1 + Number(random.upTo(3) === 0) }, () => {
      const key = random.pick(keys);
      return { left: key.name, right: random.pick(partners[key.kind] ?? []) };
    });
    this.#steps.push({ name, op: "join", kind, left: from.name, right: right.name, on, prefix });
    if (kind === "semi" || kind === "anti") return { ...from, name };
    const added = right.columns.map((column) => ({ ...column, name: prefix + column.name }));
    return { name, columns: [...from.columns, ...added] };
  }
}
