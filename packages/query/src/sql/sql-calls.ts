import { sql } from "kysely";
import type { DataType } from "../plan/data-type.ts";
import type { FunctionName } from "../plan/functions.ts";
import type { TypedCall, TypedExpression } from "../plan/typed-plan.ts";
import type { Sql, SqlCall, SqlDialect } from "./sql-dialect.ts";

type CallWriter = (call: SqlCall, dialect: SqlDialect) => Sql;

/** An argument as SQL. */
export const part = ({ parts }: SqlCall, index: number): Sql => parts[index] ?? sql`null`;

/** The type of an argument. */
export function argumentType({ arguments: parts }: TypedCall, index: number): DataType {
  return parts[index]?.type ?? { kind: "text" };
}

/** A literal argument that the check has validated: a unit, a zone, a number of digits. */
export function literalArgument({ arguments: parts }: TypedCall, index: number): string {
  const value: TypedExpression | undefined = parts[index];
  return value?.op === "literal" ? String(value.value) : "";
}

function comparison(operator: string, isOrdered: boolean): CallWriter {
  const symbol = sql.raw(operator);
  return (call, dialect) => {
    const key = (index: number): Sql => {
      const type = argumentType(call.call, index);
      return isOrdered
        ? dialect.ordered(part(call, index), type)
        : dialect.equal(part(call, index), type);
    };
    return sql`(${key(0)} ${symbol} ${key(1)})`;
  };
}

const infix = (operator: string): CallWriter => {
  const symbol = sql.raw(operator);
  return (call) => sql`(${part(call, 0)} ${symbol} ${part(call, 1)})`;
};

const joined = (operator: string): CallWriter => {
  const symbol = sql.raw(` ${operator} `);
  return ({ parts }) => sql`(${sql.join(parts, symbol)})`;
};

const named = (name: string): CallWriter => {
  const word = sql.raw(name);
  return ({ parts }) => sql`${word}(${sql.join(parts)})`;
};

/** Calls with the same syntax in all three databases. Division by zero is null. */
export const commonCalls: Partial<Record<FunctionName, CallWriter>> = {
  eq: comparison("=", false),
  ne: comparison("<>", false),
  lt: comparison("<", true),
  le: comparison("<=", true),
  gt: comparison(">", true),
  ge: comparison(">=", true),
  between: (call, dialect) => {
    const key = (index: number): Sql =>
      dialect.ordered(part(call, index), argumentType(call.call, index));
    return sql`(${key(0)} between ${key(1)} and ${key(2)})`;
  },
  and: joined("and"),
  or: joined("or"),
  not: (call) => sql`(not ${part(call, 0)})`,
  is_null: (call) => sql`(${part(call, 0)} is null)`,
  is_not_null: (call) => sql`(${part(call, 0)} is not null)`,
  coalesce: named("coalesce"),
  null_if: (call, dialect) =>
    sql`nullif(${dialect.equal(part(call, 0), argumentType(call.call, 0))}, ${part(call, 1)})`,
  add: infix("+"),
  subtract: infix("-"),
  multiply: infix("*"),
  divide: (call) => sql`(${part(call, 0)} / nullif(${part(call, 1)}, 0.0))`,
  int_divide: (call) => sql`(${part(call, 0)} / nullif(${part(call, 1)}, 0))`,
  modulo: (call) => sql`(${part(call, 0)} % nullif(${part(call, 1)}, 0))`,
  negate: (call) => sql`(- ${part(call, 0)})`,
  abs: named("abs"),
  concat: joined("||"),
  lower: named("lower"),
  upper: named("upper"),
  length: named("length"),
  trim: (call) => sql`trim(${part(call, 0)}, ' ')`,
  substring: named("substr"),
  like: (call) => sql`(${part(call, 0)} like ${part(call, 1)} escape '\\')`,
  starts_with: named("starts_with"),
  round(call) {
    const digits = Number(literalArgument(call.call, 1));
    if (argumentType(call.call, 0).kind === "float")
      return roundedFloat(part(call, 0), digits, floorOf);
    return sql`round(${part(call, 0)}, ${sql.raw(String(digits))})`;
  },
};

/** A float rounded down. */
export const floorOf = (value: Sql): Sql => sql`floor(${value})`;

/** The field of `extract` in PostgreSQL and DuckDB. */
export function extractField({ call }: SqlCall): Sql {
  const field = literalArgument(call, 0);
  return sql.raw(field === "weekday" ? "isodow" : field);
}

/** A power of 10 as a decimal number, like `100.0`. */
export const powerOfTen = (digits: number): Sql => sql.raw(`1${"0".repeat(digits)}.0`);

/**
 * A float rounded half away from zero: floor(|x| * 10^n + 0.5) / 10^n. Every database takes the same IEEE 754 steps and
 * gets the same bits. A value too large for a fraction stays unchanged.
 */
export function roundedFloat(value: Sql, digits: number, floor: (value: Sql) => Sql): Sql {
  const power = powerOfTen(digits);
  const bound = sql.raw(`1e${15 - digits}`);
  const rounded = floor(sql`abs(${value}) * ${power} + 0.5`);
  return sql`(case when abs(${value}) < ${bound} then case when ${value} < 0 then - (${rounded} / ${power}) else ${rounded} / ${power} end else ${value} end)`;
}
