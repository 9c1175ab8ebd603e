/** Minimum and maximum number of arguments for each function. A billion means no maximum. */
export const functionArguments = {
  eq: [2, 2],
  ne: [2, 2],
  lt: [2, 2],
  le: [2, 2],
  gt: [2, 2],
  ge: [2, 2],
  between: [3, 3],
  and: [2, 1e9],
  or: [2, 1e9],
  not: [1, 1],
  is_null: [1, 1],
  is_not_null: [1, 1],
  coalesce: [2, 1e9],
  null_if: [2, 2],
  add: [2, 2],
  subtract: [2, 2],
  multiply: [2, 2],
  divide: [2, 2],
  int_divide: [2, 2],
  modulo: [2, 2],
  negate: [1, 1],
  abs: [1, 1],
  round: [1, 2],
  concat: [2, 1e9],
  lower: [1, 1],
  upper: [1, 1],
  length: [1, 1],
  trim: [1, 1],
  substring: [2, 3],
  contains: [2, 2],
  starts_with: [2, 2],
  ends_with: [2, 2],
  like: [2, 2],
  date: [1, 2],
  local: [2, 2],
  instant: [2, 2],
  date_trunc: [2, 3],
  extract: [2, 3],
  date_add: [3, 3],
  days_between: [2, 2],
  now: [0, 0],
} as const;

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
export type FunctionName = keyof typeof functionArguments;

/** True if the name is a function. */
export function isFunctionName(name: string): name is FunctionName {
  return Object.hasOwn(functionArguments, name);
}
