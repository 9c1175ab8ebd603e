import { quoteIdentifier } from "@ccl/sql";
import { typeName, type DataType } from "../plan/data-type.ts";
import { conditionSigns, type SimpleCondition } from "../connector/simple-condition.ts";
import { functionOf, operators } from "../plan/functions.ts";
import type { TypedAggregate, TypedCall, TypedExpression } from "../plan/typed-plan.ts";

const names: Record<Exclude<DataType["kind"], "decimal">, string> = {
  bool: "boolean",
  int: "bigint",
  float: "double",
  text: "varchar",
  date: "date",
  timestamp: "timestamp",
  timestamptz: "timestamptz",
};

/** Returns DuckDB's name for a type. */
export function duckDbTypeName(type: DataType): string {
  return type.kind === "decimal" ? typeName(type) : names[type.kind];
}

const castTo = (value: string, type: DataType): string =>
  `cast(${value} as ${duckDbTypeName(type)})`;
const float: DataType = { kind: "float" };

/** Prints the expression as DuckDB SQL over rows in the plan's types. `nameOf` returns a column's SQL. */
export function printExpression(
  expression: TypedExpression,
  nameOf: (column: string) => string = quoteIdentifier,
): string {
  const print = (part: TypedExpression): string => printExpression(part, nameOf);
  switch (expression.op) {
    case "column":
      return nameOf(expression.name);
    case "literal":
      return literal(expression.value, expression.type);
    case "call": {
      const value = printCall(expression, expression.arguments.map(print));
      // DuckDB widens decimals by its own rules, and its date parts and lengths have different types.
      const isCast = expression.type.kind === "decimal" || expression.type.kind === "int";
      return isCast ? castTo(value, expression.type) : value;
    }
    case "cast":
      return printCast(print(expression.value), expression.value.type, expression.type);
    case "in":
      return `(${print(expression.value)} in (${expression.list.map(print).join(", ")}))`;
    case "case": {
      const branches = expression.branches.map(
        ({ when, value }) => ` when ${print(when)} then ${print(value)}`,
      );
      const { otherwise } = expression;
      return `(case${branches.join("")}${otherwise === undefined ? "" : ` else ${print(otherwise)}`} end)`;
    }
  }
}

/** Prints an aggregate over a value or over rows. */
export function printAggregate(
  { function: applied, argument, type }: TypedAggregate,
  nameOf: (column: string) => string,
): string {
  if (argument === undefined) return "count(*)";
  const value = printExpression(argument, nameOf);
  if (applied === "count") return `count(${value})`;
  if (applied === "count_distinct") return `count(distinct ${value})`;
  if (applied === "avg") return `(${castTo(`sum(${value})`, float)} / nullif(count(${value}), 0))`;
  return castTo(`${applied}(${value})`, type);
}

/** Prints a scan condition. */
export function printCondition({ column, operator, type, values }: SimpleCondition): string {
  const value = castTo(quoteIdentifier(column), type);
  const list = values.map((one) => literal(typeof one === "bigint" ? String(one) : one, type));
  return `${value} ${conditionSigns[operator]} (${list.join(", ")})`;
}

/** Quotes text as a SQL literal. */
export function quoteText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** Prints a constant, quoted and typed. A quoted NUL would end DuckDB's string. */
function literal(value: string | number | boolean | null, type: DataType): string {
  if (value === null) return castTo("null", type);
  const quoted = quoteText(String(value));
  const whole = quoted.includes("\0") ? `(${quoted.replaceAll("\0", "' || chr(0) || '")})` : quoted;
  return castTo(whole, type);
}

function printCast(value: string, from: DataType, to: DataType): string {
  // DuckDB's built-in cast rounds half to even.
  if (from.kind === "float" && to.kind === "decimal")
    return castTo(`round(${value}, ${to.scale})`, to);
  if ((from.kind === "decimal" || from.kind === "float") && to.kind === "int")
    return castTo(`round(${value}, 0)`, to);
  return castTo(value, to);
}

/** Prints a call. Division by zero is null. Units, zones and numbers of digits have been validated. */
function printCall(call: TypedCall, parts: readonly string[]): string {
  const { function: name, arguments: given, type } = call;
  const { sql } = functionOf(name);
  const symbol = operators[name]?.symbol;
  if (sql === undefined)
    return symbol === undefined ? `${name}(${parts.join(", ")})` : `(${parts.join(` ${symbol} `)})`;
  return sql.replace(/\$type|([$#])(\d)/g, (_, mark?: string, digit?: string) => {
    if (mark === undefined) return duckDbTypeName(type);
    const at = Number(digit) - 1;
    const part = given[at];
    if (mark === "$" || part?.op !== "literal") return parts[at] ?? "null";
    return part.value === "weekday" ? "isodow" : String(part.value);
  });
}
