import { sql } from "kysely";
import { typeName, type DataType } from "../plan/data-type.ts";
import type { FunctionName } from "../plan/functions.ts";
import {
  commonCalls,
  extractField,
  floorOf,
  literalArgument,
  part,
  roundedFloat,
} from "./sql-calls.ts";
import type { Sql, SqlCall, SqlDialect } from "./sql-dialect.ts";

const names: Record<Exclude<DataType["kind"], "decimal">, string> = {
  bool: "boolean",
  int: "bigint",
  float: "double precision",
  text: "text",
  date: "date",
  timestamp: "timestamp",
  timestamptz: "timestamptz",
};

const typeOf = (type: DataType): Sql =>
  sql.raw(type.kind === "decimal" ? "numeric" : names[type.kind]);
const castTo = (value: Sql, type: DataType): Sql => sql`cast(${value} as ${typeOf(type)})`;
const exactDecimal = (value: Sql, type: DataType): Sql =>
  sql`cast(${value} as ${sql.raw(typeName(type))})`;
const bigint: DataType = { kind: "int" };

/** SQL for PostgreSQL 12 and newer, in a session with UTC and ISO dates. */
export const postgresDialect: SqlDialect = {
  semiJoin: "exists",
  scanned({ type }, declaredType = "", stored) {
    const declared = declaredType.trim().toLowerCase();
    if (type.kind === "float")
      return /^(?:real|float4)$/.test(declared) ? castTo(stored, type) : stored;
    if (type.kind === "decimal") return /\(/.test(declared) ? stored : exactDecimal(stored, type);
    if (type.kind === "text")
      return /^(?:text|str|string|(?:character varying|varchar)(?:\(\d+\))?)$/.test(declared)
        ? stored
        : castTo(stored, type);
    return stored;
  },
  literal: ({ value, type }) => castTo(sql`${value}`, type),
  asciiCased: (value) => sql`(${value} collate "C")`,
  call(call) {
    const write = calls[call.call.function] ?? commonCalls[call.call.function];
    return write === undefined ? sql`null` : write(call, postgresDialect);
  },
  cast: ({ value: { type: from }, type: to }, value) => castValue(value, from, to),
  aggregate({ function: applied, argument }, value) {
    const type = argument?.type ?? bigint;
    if (value === undefined) return sql`count(*)`;
    if (applied === "count") return sql`count(${value})`;
    if (applied === "count_distinct") return sql`count(distinct ${value})`;
    if (applied === "sum")
      return type.kind === "int" ? castTo(sql`sum(${value})`, type) : sql`sum(${value})`;
    if (applied === "avg")
      return sql`(${castTo(sql`sum(${value})`, { kind: "float" })} / nullif(count(${value}), 0))`;
    return sql`${sql.raw(applied)}(${postgresDialect.ordered(value, type)})`;
  },
  ordered: (value, { kind }) => (kind === "text" ? sql`(${value} collate "C")` : value),
  equal: (value) => value,
  output: (value, { kind }) =>
    kind === "date" || kind === "timestamp" || kind === "timestamptz"
      ? sql`cast(${value} as text)`
      : value,
};

/** A widening cast leaves a column unchanged, so that its index is used. */
function castValue(value: Sql, from: DataType, to: DataType): Sql {
  if (to.kind === "decimal") {
    if (from.kind === "float") {
      const scaled = roundedFloat(sql`(${value} * ${sql.raw(`1e${to.scale}`)})`, 0, floorOf);
      return exactDecimal(
        sql`cast(${castTo(scaled, bigint)} as numeric) * ${sql.raw(`1e-${to.scale}`)}::numeric`,
        to,
      );
    }
    const whole = from.kind === "decimal" ? from.precision - from.scale : 19;
    const isWider =
      (from.kind === "int" || (from.kind === "decimal" && from.scale <= to.scale)) &&
      whole <= to.precision - to.scale;
    return isWider ? castTo(value, to) : exactDecimal(value, to);
  }
  if (to.kind === "int" && from.kind === "decimal") return castTo(sql`round(${value})`, to);
  if (to.kind === "int" && from.kind === "float")
    return castTo(roundedFloat(value, 0, floorOf), to);
  if (to.kind === "int" && from.kind === "bool") return castTo(sql`cast(${value} as integer)`, to);
  if (to.kind === "text" && from.kind === "date") return sql`to_char(${value}, 'YYYY-MM-DD')`;
  return castTo(value, to);
}

const asInteger = (value: Sql): Sql => sql`cast(${value} as integer)`;

/** Casts one side to bigint so that the whole expression is bigint and small integers do not overflow. */
function widened(operator: string): (call: SqlCall) => Sql {
  const symbol = sql.raw(operator);
  return (call) => {
    const left = call.call.type.kind === "int" ? castTo(part(call, 0), bigint) : part(call, 0);
    return sql`(${left} ${symbol} ${part(call, 1)})`;
  };
}

const calls: Partial<Record<FunctionName, (call: SqlCall, dialect: SqlDialect) => Sql>> = {
  add: widened("+"),
  subtract: widened("-"),
  multiply: widened("*"),
  int_divide: (call) =>
    sql`(${castTo(part(call, 0), bigint)} / nullif(${castTo(part(call, 1), bigint)}, 0))`,
  modulo: (call) =>
    sql`(${castTo(part(call, 0), bigint)} % nullif(${castTo(part(call, 1), bigint)}, 0))`,
  negate: (call) =>
    call.call.type.kind === "int"
      ? sql`(- ${castTo(part(call, 0), bigint)})`
      : sql`(- ${part(call, 0)})`,
  abs: (call) =>
    call.call.type.kind === "int"
      ? sql`abs(${castTo(part(call, 0), bigint)})`
      : sql`abs(${part(call, 0)})`,
  length: (call) => castTo(sql`length(${part(call, 0)})`, bigint),
  trim: (call) => sql`btrim(${part(call, 0)}, ' ')`,
  substring: ({ parts: [value = sql`null`, ...bounds] }) =>
    sql`substr(${sql.join([value, ...bounds.map(asInteger)])})`,
  contains: (call) => sql`(strpos(${part(call, 0)}, ${part(call, 1)}) > 0)`,
  ends_with: (call) => sql`(right(${part(call, 0)}, length(${part(call, 1)})) = ${part(call, 1)})`,
  date: (call) => castTo(part(call, 0), { kind: "date" }),
  local: (call) => sql`(${part(call, 0)} at time zone ${part(call, 1)})`,
  instant: (call) => sql`(${part(call, 0)} at time zone ${part(call, 1)})`,
  date_trunc: (call) =>
    sql`date_trunc(${part(call, 0)}, ${castTo(part(call, 1), { kind: "timestamp" })})`,
  extract(call) {
    return castTo(
      sql`floor(extract(${extractField(call)} from ${castTo(part(call, 1), { kind: "timestamp" })}))`,
      bigint,
    );
  },
  date_add(call) {
    const interval = sql.raw(`interval '1 ${literalArgument(call.call, 2)}'`);
    return castTo(
      sql`(${part(call, 0)} + ${asInteger(part(call, 1))} * ${interval})`,
      call.call.type,
    );
  },
  // Only for explanations. A plan that runs has its instant as a constant.
  now: () => sql`now()`,
  days_between: (call) => castTo(sql`(${part(call, 1)} - ${part(call, 0)})`, bigint),
};
