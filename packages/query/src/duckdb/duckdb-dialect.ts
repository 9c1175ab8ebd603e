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
} from "../sql/sql-calls.ts";
import type { Sql, SqlCall, SqlDialect } from "../sql/sql-dialect.ts";

const names: Record<Exclude<DataType["kind"], "decimal">, string> = {
  bool: "boolean",
  int: "bigint",
  float: "double",
  text: "varchar",
  date: "date",
  timestamp: "timestamp",
  // Instants are stored as UTC wall-clock time, so that the process's time zone has no effect.
  timestamptz: "timestamp",
};

/** DuckDB's name of a type. */
export function duckDbTypeName(type: DataType): string {
  return type.kind === "decimal" ? typeName(type) : names[type.kind];
}

const castTo = (value: Sql, type: DataType): Sql =>
  sql`cast(${value} as ${sql.raw(duckDbTypeName(type))})`;
const bigint: DataType = { kind: "int" };
const timestamp: DataType = { kind: "timestamp" };

/** DuckDB SQL over rows that were loaded in the plan's own types. */
export const duckDbDialect: SqlDialect = {
  semiJoin: "exists",
  scanned: (_, __, stored) => stored,
  literal({ value, type }) {
    const isTime = type.kind === "timestamptz" && typeof value === "string";
    // The client binds every whole number as an integer, but 1e300 does not fit one.
    if (type.kind === "float" && value !== null) return castTo(sql`${String(value)}`, type);
    return castTo(sql`${isTime ? value.replace("Z", "") : value}`, type);
  },
  call(call) {
    const write = calls[call.call.function] ?? commonCalls[call.call.function];
    const value = write === undefined ? sql`null` : write(call, duckDbDialect);
    // DuckDB widens decimals by its own rules, and its date parts and lengths have other types.
    return ["decimal", "int"].includes(call.call.type.kind) ? castTo(value, call.call.type) : value;
  },
  cast: ({ value: { type: from }, type: to }, value) => castValue(value, from, to),
  aggregate({ function: applied, argument, type }, value) {
    if (value === undefined || argument === undefined) return sql`count(*)`;
    if (applied === "count") return sql`count(${value})`;
    if (applied === "count_distinct") return sql`count(distinct ${value})`;
    if (applied === "avg")
      return sql`(${castTo(sql`sum(${value})`, { kind: "float" })} / nullif(count(${value}), 0))`;
    return castTo(sql`${sql.raw(applied)}(${value})`, type);
  },
  ordered: (value) => value,
  equal: (value) => value,
  output: (value) => value,
};

function castValue(value: Sql, from: DataType, to: DataType): Sql {
  if (from.kind === "float" && to.kind === "decimal") {
    const scaled = castTo(
      roundedFloat(sql`(${value} * ${sql.raw(`1e${to.scale}`)})`, 0, floorOf),
      bigint,
    );
    const whole = sql`cast(${scaled} as decimal(19,0))`;
    const last = sql.raw(
      `cast('1e-${to.scale}' as decimal(${Math.min(19, to.scale + 1)},${Math.min(18, to.scale)}))`,
    );
    return castTo(sql`(${whole} * ${last})`, to);
  }
  if (from.kind === "float" && to.kind === "int")
    return castTo(roundedFloat(value, 0, floorOf), to);
  if (from.kind === "decimal" && to.kind === "int") return castTo(sql`round(${value}, 0)`, to);
  return castTo(value, to);
}

const calls: Partial<Record<FunctionName, (call: SqlCall, dialect: SqlDialect) => Sql>> = {
  int_divide: (call) => sql`(${part(call, 0)} // nullif(${part(call, 1)}, 0))`,
  contains: (call) => sql`contains(${part(call, 0)}, ${part(call, 1)})`,
  ends_with: (call) => sql`ends_with(${part(call, 0)}, ${part(call, 1)})`,
  date: (call) => castTo(part(call, 0), { kind: "date" }),
  local: (call) => sql`timezone(${part(call, 1)}, timezone('UTC', ${part(call, 0)}))`,
  instant: (call) => sql`timezone('UTC', timezone(${part(call, 1)}, ${part(call, 0)}))`,
  date_trunc: (call) =>
    castTo(sql`date_trunc(${part(call, 0)}, ${castTo(part(call, 1), timestamp)})`, timestamp),
  extract(call) {
    return sql`extract(${extractField(call)} from ${castTo(part(call, 1), timestamp)})`;
  },
  date_add(call) {
    const span = sql.raw(`to_${literalArgument(call.call, 2)}s`);
    return castTo(
      sql`(${part(call, 0)} + ${span}(cast(${part(call, 1)} as integer)))`,
      call.call.type,
    );
  },
  days_between: (call) => sql`date_diff('day', ${part(call, 0)}, ${part(call, 1)})`,
};
