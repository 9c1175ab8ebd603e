import fc, { type GeneratorValue } from "fast-check";
import type { Expression, LiteralExpression } from "../plan/expression.ts";
import type { FunctionName } from "../plan/functions.ts";
import { literalOf } from "../parse/literal-value.ts";
import { randomValue, type RandomKind } from "./random-source.ts";

type Kind = RandomKind;

/** A column that a plan's author knows of. */
export interface KnownColumn {
  name: string;
  kind: RandomKind;
}

interface Shape {
  columns: readonly KnownColumn[];
}

/** Kinds that can be compared with each other. */
const families: readonly (readonly Kind[])[] = [
  ["int", "big", "decimal", "wide"],
  ["int", "big", "float", "huge"],
  ["decimal", "float"],
  ["date", "timestamp"],
];

/** Writes expressions of a given type over the known columns. */
export class RandomExpressions {
  readonly #gen: GeneratorValue;

  constructor(gen: GeneratorValue) {
    this.#gen = gen;
  }

  /** A whole number from 0 to `max`. */
  upTo(max: number): number {
    return this.#gen(() => fc.integer({ min: 0, max: max }));
  }

  pick<T>(items: readonly T[]): T {
    const item = items[this.upTo(items.length - 1)];
    if (item === undefined) throw new Error("nothing to pick from");
    return item;
  }

  #literal(kind: Kind): LiteralExpression {
    if (kind === "huge") return literalOf("float", this.pick([1e300, -1e300, 1e-300, 0.1, 0, 1]));
    const value = randomValue(this.#gen, kind);
    if (kind === "big") return literalOf("int", String(value));
    return literalOf(kind === "wide" ? "decimal" : kind, value);
  }

  #leaf(from: Shape, kind: Kind): Expression {
    const columns = from.columns.filter((column) => column.kind === kind);
    if (columns.length === 0 || this.upTo(4) === 0) return this.#literal(kind);
    return { op: "column", name: this.pick(columns).name };
  }

  /** An expression of the kind. */
  value(from: Shape, kind: Kind, depth: number): Expression {
    if (depth === 0 || this.upTo(2) === 0) return this.#leaf(from, kind);
    const next = (other: Kind = kind): Expression => this.value(from, other, depth - 1);
    if (this.upTo(4) === 0) return call("coalesce", next(), this.#leaf(from, kind));
    if (this.upTo(5) === 0)
      return {
        op: "case",
        branches: [{ when: this.bool(from, depth - 1), value: next() }],
        otherwise: this.upTo(1) === 0 ? next() : undefined,
      };
    if (this.upTo(6) === 0) return call("null_if", next(), this.#leaf(from, kind));
    switch (kind) {
      case "int":
        return this.#int(next);
      case "big":
      case "wide":
        return this.#leaf(from, kind);
      case "huge":
        return call(this.pick<FunctionName>(["abs", "negate"]), next());
      case "decimal":
        return this.pick([
          () => call("negate", this.#leaf(from, kind)),
          () => call("abs", this.#leaf(from, kind)),
          () => cast(this.#leaf(from, "int"), "decimal(20,2)"),
          () =>
            call(
              this.pick<FunctionName>(["add", "subtract", "multiply"]),
              cast(this.#leaf(from, "decimal"), "decimal(14,2)"),
              this.#literal("decimal"),
            ),
          () => call("round", this.#leaf(from, "decimal"), literalOf("int", this.upTo(2))),
          () => cast(this.#leaf(from, "float"), "decimal(14,2)"),
        ])();
      case "float":
        return this.pick([
          () => call("add", next(), next()),
          () => call("divide", next("int"), next("int")),
          () => call("round", next(), literalOf("int", this.upTo(2))),
          () => cast(next(this.pick(["int", "decimal"])), "float"),
          () => call(this.pick<FunctionName>(["negate", "abs"]), next()),
        ])();
      case "bool":
        return this.bool(from, depth);
      case "text":
        return this.pick([
          () => call("concat", next(), next()),
          () => call("trim", next()),
          () => call("substring", next(), literalOf("int", 1 + this.upTo(2)), literalOf("int", this.upTo(2))),
          () => call("lower", next()),
          () => cast(next(this.pick(["int", "big"])), "text"),
          () => cast(next("date"), "text"),
        ])();
      case "date":
        return this.pick([
          () => call("date", next("timestamp")),
          () => call("date", next("timestamptz"), this.#zone()),
          () =>
            call(
              "date_add",
              next(),
              literalOf("int", this.upTo(40) - 20),
              literalOf("text", this.pick(["DAY", "WEEK", "MONTH", "YEAR"])),
            ),
        ])();
      case "timestamp":
        return this.pick([
          () =>
            call(
              "date_trunc",
              literalOf("text", this.pick(["year", "quarter", "month", "week", "day", "hour", "minute", "second"])),
              next(),
            ),
          () => call("date_trunc", literalOf("text", this.pick(["day", "hour"])), next("timestamptz"), this.#zone()),
          () => call("local", next("timestamptz"), this.#zone()),
          () =>
            call(
              "date_add",
              next(),
              literalOf("int", this.upTo(40) - 20),
              literalOf("text", this.pick(["hour", "minute", "day", "month"])),
            ),
          () => cast(next("date"), "timestamp"),
        ])();
      case "timestamptz":
        return this.pick([
          () => call("instant", next("timestamp"), this.#zone()),
          () =>
            call(
              "date_add",
              next(),
              literalOf("int", this.upTo(40) - 20),
              literalOf("text", this.pick(["hour", "day"])),
            ),
        ])();
    }
  }

  #int(next: (kind?: Kind) => Expression): Expression {
    return this.pick([
      () => call(this.pick<FunctionName>(["add", "subtract"]), next(), next()),
      () => call("multiply", next(), literalOf("int", this.upTo(9))),
      () => call("int_divide", next(), next()),
      () => call("modulo", next(), next()),
      () => call(this.pick<FunctionName>(["abs", "negate"]), next()),
      () => call("modulo", next("big"), literalOf("int", this.upTo(9))),
      () => call("length", next("text")),
      () => cast(next("decimal"), "int"),
      () => cast(next("float"), "int"),
      () => cast(next("bool"), "int"),
      () => call("days_between", next("date"), next("date")),
      () =>
        call(
          "extract",
          literalOf("text", this.pick(["year", "quarter", "month", "day", "weekday", "hour", "minute", "second"])),
          next(this.pick(["date", "timestamp"])),
        ),
      () => call("extract", literalOf("text", "hour"), next("timestamptz"), this.#zone()),
    ])();
  }

  #zone(): LiteralExpression {
    return literalOf("text", this.pick(["UTC", "UTC", "Europe/Berlin", "America/New_York", "Asia/Kolkata", "Australia/Lord_Howe", "Pacific/Apia"]));
  }

  /** A comparison of a column with constants, which a source may apply. */
  comparison(from: Shape): Expression {
    const { name, kind } = this.pick(from.columns);
    const column: Expression = { op: "column", name };
    const mixed = this.upTo(3) === 0 && (kind === "int" || kind === "decimal");
    const constant = (): LiteralExpression =>
      this.#literal(mixed ? this.pick(["int", "decimal"] as const) : kind);
    if (kind === "bool") return call("eq", column, constant());
    return this.pick([
      () => call(this.pick<FunctionName>(["eq", "lt", "le", "gt", "ge"]), column, constant()),
      () => call(this.pick<FunctionName>(["eq", "lt", "le", "gt", "ge"]), constant(), column),
      () => call("between", column, constant(), constant()),
      (): Expression => ({
        op: "in",
        value: column,
        list: Array.from({ length: 1 + this.upTo(2) }, () => this.#literal(kind)),
      }),
    ])();
  }

  /** A condition. */
  bool(from: Shape, depth: number): Expression {
    const next = (): Expression => (depth > 0 ? this.bool(from, depth - 1) : this.#leaf(from, "bool"));
    const kind = this.pick<Kind>([
      "int",
      "big",
      "decimal",
      "wide",
      "float",
      "huge",
      "text",
      "date",
      "timestamp",
      "timestamptz",
    ]);
    const others = this.pick([[kind], ...families.filter((family) => family.includes(kind))]);
    const other = (): Expression => this.value(from, this.pick(others), depth > 0 ? 1 : 0);
    const value = (): Expression => this.value(from, kind, depth > 0 ? 1 : 0);
    const text = (): Expression => this.value(from, "text", 1);
    return this.pick([
      () => call(this.pick<FunctionName>(["eq", "ne", "lt", "le", "gt", "ge"]), value(), other()),
      () => call("between", value(), other(), value()),
      (): Expression => ({
        op: "in",
        value: value(),
        list: Array.from({ length: 1 + this.upTo(2) }, () => this.#literal(kind)),
      }),
      () => call(this.pick<FunctionName>(["is_null", "is_not_null"]), value()),
      () => call("not", next()),
      () => call(this.pick<FunctionName>(["and", "or"]), next(), next()),
      () => call(this.pick<FunctionName>(["contains", "starts_with", "ends_with"]), text(), text()),
      () =>
        call(
          "like",
          text(),
          literalOf("text", this.pick(["%", "_", "a%", "%b", "\\%%", "_\\_", "[a]%", "*", "%'%", "?", "A_", "\\\\", "", "%%", "%\\\\\\%", "[^a]", "_^", "]", "%\u0300", "é%"])),
        ),
      () => this.#lowered(text()),
      () => this.#leaf(from, "bool"),
    ])();
  }

  /** `lower` beside constants, which sources accept. */
  #lowered(value: Expression): Expression {
    const lower = call("lower", value);
    const constant = (): LiteralExpression =>
      literalOf("text", this.pick(["a", "ab", "b", "A", "é", "É", "ß", "ẞ", "i", "k", "ü", "σ", "ς", "ж", "å", "ω", "ǆ", "ÿ", "日", "ɤ", ""]));
    return this.pick([
      () => call(this.pick<FunctionName>(["eq", "ne", "contains", "starts_with", "ends_with"]), lower, constant()),
      () => call("eq", constant(), lower),
      () => call("like", lower, literalOf("text", `${this.pick(["%", "_", ""])}${constant().value}${this.pick(["%", "_", ""])}`)),
      (): Expression => ({ op: "in", value: lower, list: [constant(), constant()] }),
    ])();
  }
}

function call(name: FunctionName, ...parts: Expression[]): Expression {
  return { op: "call", function: name, arguments: parts };
}

function cast(value: Expression, type: string): Expression {
  return { op: "cast", value, type };
}
