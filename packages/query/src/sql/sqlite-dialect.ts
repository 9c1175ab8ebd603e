import type { ResourceDetails } from "@ccl/catalog";
import { sql } from "kysely";
import { columnDataType, type DataType } from "../plan/data-type.ts";
import type { FunctionName } from "../plan/functions.ts";
import type { TypedCall, TypedExpression, TypedLiteral } from "../plan/typed-plan.ts";
import {
  argumentType,
  commonCalls,
  literalArgument,
  part,
  powerOfTen,
  roundedFloat,
} from "./sql-calls.ts";
import type { Sql, SqlCall, SqlDialect } from "./sql-dialect.ts";

/** Digits of a stored decimal that SQLite's floats keep. */
const storedDigits = 15;
const takenAdditions: ReadonlySet<string> = new Set(["week", "day", "hour", "minute", "second"]);

/** True for a stored column with which SQLite can compute exactly. */
function isExactInSqlite({ kind, ...type }: DataType): boolean {
  return kind !== "decimal" || !("precision" in type) || type.precision <= storedDigits;
}

/**
 * Finds what SQLite computes with plan semantics. It only knows UTC, ASCII case, and decimals as 64-bit integers.
 * A stored decimal with more digits passes through as text. A computed one is a whole number whatever its type.
 */
export function sqliteTakes(
  resources: readonly ResourceDetails[],
): (expression: TypedExpression) => boolean {
  const storesText = resources.some(({ columns = [] }) =>
    columns.some(({ type }) => !isExactInSqlite(columnDataType(type))),
  );
  return (expression) => takesExpression(expression, storesText);
}

function takesExpression(expression: TypedExpression, storesText: boolean): boolean {
  if (expression.type.kind === "decimal" && expression.type.scale > 9) return false;
  if (expression.op === "column")
    return isExactInSqlite(expression.type) || (!storesText && scaleOf(expression.type) <= 6);
  if (expression.op === "literal") return fitsInteger(expression);
  if (expression.op !== "call") return true;
  const { function: name } = expression;
  if (name === "local" || name === "instant") return literalArgument(expression, 1) === "UTC";
  if (name === "date_trunc") return Object.hasOwn(truncations, literalArgument(expression, 0));
  if (name === "date_add") return takenAdditions.has(literalArgument(expression, 2));
  return true;
}

/** False for a literal with so many digits that sums would soon exceed 64 bits. */
function fitsInteger({ value, type }: TypedLiteral): boolean {
  return (
    value === null ||
    type.kind !== "decimal" ||
    String(value).replace(/\D/g, "").length <= storedDigits
  );
}

const integerPower = (digits: number): Sql => sql.raw(`1${"0".repeat(digits)}`);
const asInteger = (value: Sql): Sql => sql`cast(${value} as integer)`;
const scaleOf = (type: DataType): number => (type.kind === "decimal" ? type.scale : 0);
/** The digits of a decimal. A cast would write a small number as 1.2e-05. */
const storedText = (stored: Sql, scale: number): Sql =>
  sql`(case when typeof(${stored}) = 'real' and abs(${stored}) < 1 then printf(${sql.raw(`'%.${scale}f'`)}, ${stored}) else cast(${stored} as text) end)`;
const binary = (value: Sql, { kind }: DataType): Sql =>
  kind === "text" ? sql`${value} collate binary` : value;

/**
 * SQL for SQLite 3.38 and newer. A decimal is an integer of its last digit, a date `YYYY-MM-DD`, a timestamp
 * `YYYY-MM-DD HH:MM:SS.SSS` (SQLite's functions keep milliseconds), a timestamptz the same in UTC, a bool 0 or 1.
 */
export const sqliteDialect: SqlDialect = {
  semiJoin: "in",
  scanned({ type }, declaredType = "", stored) {
    if (type.kind === "decimal") {
      if (!isExactInSqlite(type)) return storedText(stored, type.scale);
      return asInteger(sql`round(${stored} * ${powerOfTen(type.scale)})`);
    }
    // A cast costs as much as the comparison after it, and prevents the use of an index.
    if (type.kind === "float")
      return hasRealAffinity(declaredType) ? stored : sql`cast(${stored} as real)`;
    // Dates are usually stored in this format already, and GLOB costs a fraction of date().
    if (type.kind === "date")
      return sql`(case when ${stored} glob '????-??-??' then ${stored} else date(${stored}, 'auto') end)`;
    if (type.kind === "timestamp" || type.kind === "timestamptz")
      return sql`strftime('%Y-%m-%d %H:%M:%f', ${stored}, 'auto')`;
    return type.kind === "text" && !hasTextAffinity(declaredType) ? anyText(stored) : stored;
  },
  literal({ value, type }) {
    const bound = sql`${value === null ? null : boundValue(value, type)}`;
    // Drivers bind a whole number as an integer, and 7 / 2 would be 3.
    return type.kind === "float" ? sql`cast(${bound} as real)` : bound;
  },
  asciiCased: (value) => value,
  call(call) {
    const write = calls[call.call.function] ?? commonCalls[call.call.function];
    return write === undefined ? sql`null` : write(call, sqliteDialect);
  },
  cast: ({ value: { type: from }, type: to }, value) => castValue(value, from, to),
  aggregate({ function: applied, argument }, value) {
    if (value === undefined || argument === undefined) return sql`count(*)`;
    if (applied === "count") return sql`count(${value})`;
    if (applied === "count_distinct") return sql`count(distinct ${binary(value, argument.type)})`;
    if (applied === "sum") return sql`sum(${value})`;
    if (applied === "avg")
      return sql`(cast(sum(${value}) as real) / ${powerOfTen(scaleOf(argument.type))} / nullif(count(${value}), 0))`;
    return sql`${sql.raw(applied)}(${binary(value, argument.type)})`;
  },
  ordered: (value, type) => binary(value, type),
  equal: (value, type) => binary(value, type),
  output: (value) => value,
};

/** True for a column that stores every number as a float (https://sqlite.org/datatype3.html, section 3.1). */
function hasRealAffinity(declaredType: string): boolean {
  return /REAL|FLOA|DOUB/i.test(declaredType) && !/INT|CHAR|CLOB|TEXT|BLOB/i.test(declaredType);
}

/** True for a column that stores every number as its digits. */
function hasTextAffinity(declaredType: string): boolean {
  return /CHAR|CLOB|TEXT/i.test(declaredType) && !/INT/i.test(declaredType);
}

/** A value that may be a number or bytes, as text. Bytes are written as in PostgreSQL. */
const anyText = (stored: Sql): Sql =>
  sql`(case typeof(${stored}) when 'text' then ${stored} when 'blob' then '\\x' || lower(hex(${stored})) else cast(${stored} as text) end)`;

function boundValue(value: string | number | boolean, type: DataType): string | number | bigint {
  switch (type.kind) {
    case "bool":
      return value === true ? 1n : 0n;
    // A number would be bound as a float, and 7 / 2.0 is 3.5.
    case "int":
      return BigInt(String(value));
    case "decimal": {
      const [whole = "0", fraction = ""] = String(value).split(".");
      return BigInt(whole + fraction.padEnd(type.scale, "0"));
    }
    case "timestamp":
    case "timestamptz": {
      const [clock = "", fraction = ""] = String(value)
        .replace("T", " ")
        .replace("Z", "")
        .split(".");
      return `${clock}.${fraction.padEnd(3, "0")}`;
    }
    case "float":
      return isMisbound(Number(value)) ? String(value) : Number(value);
    default:
      return typeof value === "boolean" ? String(value) : value;
  }
}

/** True for 1e-20 and -0.9999999999999999: @photostructure/sqlite binds values barely above a whole number as 0. */
function isMisbound(value: number): boolean {
  return !Number.isInteger(value) && value - Math.floor(value) < Number.EPSILON;
}

/** A whole number without its last digits, rounded half away from zero. */
function shortened(value: Sql, digits: number): Sql {
  if (digits === 0) return value;
  const half = sql.raw(`5${"0".repeat(digits - 1)}`);
  return sql`((${value} + case when ${value} < 0 then -${half} else ${half} end) / ${integerPower(digits)})`;
}

function rescaled(value: Sql, from: number, to: number): Sql {
  return to >= from
    ? to === from
      ? value
      : sql`(${value} * ${integerPower(to - from)})`
    : shortened(value, from - to);
}

function castValue(value: Sql, from: DataType, to: DataType): Sql {
  const isWhole = from.kind === "int" || from.kind === "decimal";
  if (to.kind === "float")
    return isWhole ? sql`(cast(${value} as real) / ${powerOfTen(scaleOf(from))})` : value;
  if (to.kind === "decimal" || (to.kind === "int" && from.kind !== "bool"))
    return isWhole ? wholeCast(value, from, to) : floatCast(value, to);
  if (to.kind === "text" && from.kind === "int")
    return whereFitting(sql`typeof(${value}) <> 'real'`, sql`cast(${value} as text)`);
  if (to.kind === "timestamp" && from.kind === "date") return sql`(${value} || ' 00:00:00.000')`;
  return to.kind === "date" ? sql`substr(${value}, 1, 10)` : value;
}

/** Maximum digits of a number. 19 stands for 64 bits. */
const digitsOf = (type: DataType): number => (type.kind === "decimal" ? type.precision : 19);

/** A result beyond 64 bits becomes a float, which the decoder rejects. */
function wholeCast(value: Sql, from: DataType, to: DataType): Sql {
  const growth = scaleOf(to) - scaleOf(from);
  const result = rescaled(value, scaleOf(from), scaleOf(to));
  // Rounding may carry: 9.99 becomes 10.0.
  const max = digitsOf(from) + growth + (growth < 0 ? 1 : 0);
  const isFit = digitsOf(to) > 18 || max <= digitsOf(to);
  return isFit ? result : whereFitting(sql`abs(${result}) < ${integerPower(digitsOf(to))}`, result);
}

function floatCast(value: Sql, to: DataType): Sql {
  const scaled = sql`(${value} * ${powerOfTen(scaleOf(to))})`;
  const fits =
    digitsOf(to) > 18
      ? sql`${scaled} between -9223372036854775808.0 and 9223372036854774784.0`
      : sql`abs(${scaled}) + 0.5 < ${powerOfTen(digitsOf(to))}`;
  return whereFitting(fits, asInteger(roundedFloat(scaled, 0, asInteger)));
}

/** Raises an error for a value that does not fit, by abs() of the smallest integer, since SQLite would clamp it. */
function whereFitting(fits: Sql, value: Sql): Sql {
  return sql`(case when (${fits}) is not false then ${value} else abs(-9223372036854775808) end)`;
}

/** How many characters of a timestamp a unit keeps, and what replaces the rest. */
const truncations: Record<string, readonly [length: number, rest: string]> = {
  year: [4, "-01-01 00:00:00.000"],
  month: [7, "-01 00:00:00.000"],
  day: [10, " 00:00:00.000"],
  hour: [13, ":00:00.000"],
  minute: [16, ":00.000"],
  second: [19, ".000"],
};
/** Position of each part in a timestamp. */
const positions: Record<string, readonly [start: number, length: number]> = {
  year: [1, 4],
  month: [6, 2],
  day: [9, 2],
  hour: [12, 2],
  minute: [15, 2],
  second: [18, 2],
};

/** Converts a LIKE pattern to GLOB, which escapes only by brackets. SQLite's LIKE ignores ASCII case. */
function globOf(pattern: string): string {
  let glob = "";
  const characters = [...pattern];
  for (let index = 0; index < characters.length; index++) {
    const character = characters[index] ?? "";
    if (character === "%") glob += "*";
    else if (character === "_") glob += "?";
    else {
      const plain = character === "\\" ? (characters[++index] ?? "") : character;
      glob += /[*?[]/.test(plain) ? `[${plain}]` : plain;
    }
  }
  return glob;
}

function extracted(call: TypedCall, value: Sql): Sql {
  const field = literalArgument(call, 0);
  if (field === "weekday") return sql`((cast(strftime('%w', ${value}) as integer) + 6) % 7 + 1)`;
  if (field === "quarter") return sql`((${asInteger(sql`substr(${value}, 6, 2)`)} + 2) / 3)`;
  const [start, length] = positions[field] ?? [1, 4];
  const isMidnight = argumentType(call, 1).kind === "date" && start > 10;
  if (isMidnight) return sql`(case when ${value} is null then null else 0 end)`;
  return asInteger(sql`substr(${value}, ${sql.raw(String(start))}, ${sql.raw(String(length))})`);
}

const calls: Partial<Record<FunctionName, (call: SqlCall, dialect: SqlDialect) => Sql>> = {
  round(call) {
    const digits = Number(literalArgument(call.call, 1));
    const type = argumentType(call.call, 0);
    if (type.kind === "float") return roundedFloat(part(call, 0), digits, asInteger);
    return shortened(part(call, 0), scaleOf(type) - digits);
  },
  contains: (call) => sql`(instr(${part(call, 0)}, ${part(call, 1)}) > 0)`,
  starts_with: (call) =>
    sql`(substr(${part(call, 0)}, 1, length(${part(call, 1)})) = ${part(call, 1)} collate binary)`,
  ends_with: (call) =>
    sql`(case when length(${part(call, 1)}) = 0 then ${part(call, 0)} is not null or null else substr(${part(call, 0)}, -length(${part(call, 1)})) = ${part(call, 1)} collate binary end)`,
  like: (call) => sql`(${part(call, 0)} glob ${globOf(literalArgument(call.call, 1))})`,
  date: (call) => sql`substr(${part(call, 0)}, 1, 10)`,
  local: (call) => part(call, 0),
  instant: (call) => part(call, 0),
  date_trunc(call) {
    const [length, rest] = truncations[literalArgument(call.call, 0)] ?? [19, ".000"];
    const isDate = argumentType(call.call, 1).kind === "date";
    const value = isDate ? sql`(${part(call, 1)} || ' 00:00:00.000')` : part(call, 1);
    return sql`(substr(${value}, 1, ${sql.raw(String(length))}) || ${sql.raw(`'${rest}'`)})`;
  },
  extract: (call) => extracted(call.call, part(call, 1)),
  date_add(call) {
    const unit = literalArgument(call.call, 2);
    const amount = Number(literalArgument(call.call, 1)) * (unit === "week" ? 7 : 1);
    const change = `${amount < 0 ? "" : "+"}${amount} ${unit === "week" ? "day" : unit}s`;
    if (call.call.type.kind === "date") return sql`date(${part(call, 0)}, ${change})`;
    return sql`strftime('%Y-%m-%d %H:%M:%f', ${part(call, 0)}, ${change})`;
  },
  // Only for explanations. A plan that runs has its instant as a constant.
  now: () => sql`strftime('%Y-%m-%d %H:%M:%f', 'now')`,
  days_between: (call) => asInteger(sql`julianday(${part(call, 1)}) - julianday(${part(call, 0)})`),
};
