import { quoteIdentifier } from "@ccl/sql";
import { typeName, type DataType } from "../plan/data-type.ts";
import { conditionSigns, type SimpleCondition } from "../connector/simple-condition.ts";
import { operators } from "../plan/functions.ts";
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
const timestamp: DataType = { kind: "timestamp" };

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

/** Prints a unit, a zone or a number of digits that has been validated. */
function literalText({ arguments: parts }: TypedCall, index: number): string {
  const part = parts[index];
  return part?.op === "literal" ? String(part.value) : "";
}

/** Prints calls that are not `name(arguments)`. Division by zero is null. */
function printCall(call: TypedCall, parts: readonly string[]): string {
  const [a = "null", b = "null", c = "null"] = parts;
  switch (call.function) {
    case "between":
      return `(${a} between ${b} and ${c})`;
    case "not":
      return `(not ${a})`;
    case "is_null":
      return `(${a} is null)`;
    case "is_not_null":
      return `(${a} is not null)`;
    case "null_if":
      return `nullif(${a}, ${b})`;
    case "divide":
      return `(${a} / nullif(${b}, 0.0))`;
    case "int_divide":
      return `(${a} // nullif(${b}, 0))`;
    case "modulo":
      return `(${a} % nullif(${b}, 0))`;
    case "negate":
      return `(- ${a})`;
    case "trim":
      return `trim(${a}, ' ')`;
    case "substring":
      return `substr(${parts.join(", ")})`;
    case "like":
      return `(${a} like ${b} escape '\\')`;
    case "round":
      return `round(${a}, ${literalText(call, 1)})`;
    default: {
      const operator = operators[call.function];
      if (operator === undefined) return printTimeCall(call, parts);
      return `(${parts.join(` ${operator.symbol} `)})`;
    }
  }
}

function printTimeCall(call: TypedCall, parts: readonly string[]): string {
  const [a = "null", b = "null"] = parts;
  switch (call.function) {
    case "date":
      return castTo(a, { kind: "date" });
    case "local":
    case "instant":
      return `timezone(${b}, ${a})`;
    case "date_trunc":
      return castTo(`date_trunc(${a}, ${castTo(b, timestamp)})`, timestamp);
    case "extract": {
      const field = literalText(call, 0);
      return `extract(${field === "weekday" ? "isodow" : field} from ${castTo(b, timestamp)})`;
    }
    case "date_add":
      return castTo(`(${a} + to_${literalText(call, 2)}s(cast(${b} as integer)))`, call.type);
    case "days_between":
      return `date_diff('day', ${a}, ${b})`;
    default:
      return `${call.function}(${parts.join(", ")})`;
  }
}
