import { parseDataType, type DataType } from "./data-type.ts";

/**
 * Each function as `<number of arguments> <their type>><type of the result> <SQL>`. Types are absent if the check
 * decides them, and the SQL if it is a call or an operator. In the SQL, `$1` is an argument, `#1` the value of a literal
 * and `$type` the type of the result.
 */
const signatures = {
  eq: "2",
  ne: "2",
  lt: "2",
  le: "2",
  gt: "2",
  ge: "2",
  between: "3 ($1 between $2 and $3)",
  and: "2+ bool>bool",
  or: "2+ bool>bool",
  not: "1 bool>bool (not $1)",
  is_null: "1 any>bool ($1 is null)",
  is_not_null: "1 any>bool ($1 is not null)",
  coalesce: "2+",
  null_if: "2 nullif($1, $2)",
  add: "2",
  subtract: "2",
  multiply: "2",
  divide: "2 ($1 / nullif($2, 0.0))",
  int_divide: "2 int>int ($1 // nullif($2, 0))",
  modulo: "2 int>int ($1 % nullif($2, 0))",
  negate: "1 (- $1)",
  abs: "1",
  round: "1-2 round($1, #2)",
  concat: "2+ text>text",
  lower: "1 text>text",
  upper: "1 text>text",
  length: "1 text>int",
  trim: "1 text>text trim($1, ' ')",
  substring: "2-3",
  contains: "2 text>bool",
  starts_with: "2 text>bool",
  ends_with: "2 text>bool",
  like: "2 ($1 like $2 escape '\\')",
  date: "1-2 cast($1 as date)",
  local: "2 timezone($2, $1)",
  instant: "2 timezone($2, $1)",
  date_trunc: "2-3 cast(date_trunc($1, cast($2 as timestamp)) as timestamp)",
  extract: "2-3 extract(#1 from cast($2 as timestamp))",
  date_add: "3 cast(($1 + to_#3s(cast($2 as integer))) as $type)",
  days_between: "2 date>int date_diff('day', $1, $2)",
  now: "0",
} as const;

/** The names of all functions. */
export const functionNames: readonly string[] = Object.keys(signatures);

/** What is known about a function without its arguments. */
export interface PlanFunction {
  min: number;
  max: number;
  takes: DataType | undefined;
  gives: DataType | undefined;
  sql: string | undefined;
}

/** Returns the function with this name. */
export function functionOf(name: FunctionName): PlanFunction {
  const [, min = "", more = "", takes = "", gives = "", sql] =
    /^(\d)(\+|-\d)?(?: (\w+)>(\w+))?(?: (.*))?$/.exec(signatures[name]) ?? [];
  return {
    min: Number(min),
    max: more === "+" ? Infinity : Number(more.slice(1) || min),
    takes: parseDataType(takes),
    gives: parseDataType(gives),
    sql,
  };
}

/** The symbol and precedence of an operator. */
interface Operator {
  symbol: string;
  level: number;
}

/** Functions written as operators, from low to high precedence. */
export const operators: Partial<Record<FunctionName, Operator>> = {
  or: { symbol: "or", level: 1 },
  and: { symbol: "and", level: 2 },
  eq: { symbol: "=", level: 4 },
  ne: { symbol: "<>", level: 4 },
  lt: { symbol: "<", level: 4 },
  le: { symbol: "<=", level: 4 },
  gt: { symbol: ">", level: 4 },
  ge: { symbol: ">=", level: 4 },
  like: { symbol: "like", level: 4 },
  add: { symbol: "+", level: 5 },
  subtract: { symbol: "-", level: 5 },
  concat: { symbol: "||", level: 5 },
  multiply: { symbol: "*", level: 6 },
  divide: { symbol: "/", level: 6 },
  modulo: { symbol: "%", level: 6 },
};

/** Functions of the plan language. The package's README describes each of them. */
export type FunctionName = keyof typeof signatures;

/** True if the name is a function. */
export function isFunctionName(name: string): name is FunctionName {
  return Object.hasOwn(signatures, name);
}
