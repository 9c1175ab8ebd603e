import { quoteIdentifier } from "@ccl/sql";
import type { PlanValue } from "../connector/column-batch.ts";
import type { TableScan } from "../connector/connector.ts";
import { scanColumns } from "../connector/scan-columns.ts";
import { scaledInt } from "../connector/decode-value.ts";
import { conditionSigns, type SimpleCondition } from "../connector/simple-condition.ts";
import { typeName, type DataType } from "../plan/data-type.ts";

/** A statement with its parameters. */
export interface BoundStatement {
  sql: string;
  parameters: PlanValue[];
}

/** How to make a database return and compare columns as plans define it. */
interface ScanDialect {
  /**
   * Returns a stored column for use in conditions. `declared` is the type as spelled in the database, or else in
   * the catalog.
   */
  stored(type: DataType, declared: string, name: string): string;
  /** Returns a value in the form that the decoder expects. */
  output(value: string, type: DataType): string;
  /** Returns the operands of a comparison, or undefined for a type that the database compares differently. */
  compared(
    value: string,
    type: DataType,
  ): { value: string; bound: (value: PlanValue) => PlanValue; mark: string } | undefined;
}

/**
 * Builds the SELECT for a scan. Omits conditions that the database evaluates differently, which are checked when
 * the rows are read.
 */
export function scanStatement(
  { resource, columns, conditions }: TableScan,
  source: {
    database: "sqlite" | "postgresql";
    table: readonly string[];
    /** Column types as spelled by the database. Defaults to the catalog's spelling. */
    storedTypes?: ReadonlyMap<string, string> | undefined;
  },
): BoundStatement {
  const { database, storedTypes } = source;
  const dialect = dialects[database];
  const known = scanColumns(resource);
  const stored = (name: string, type: DataType): string => {
    const declared = storedTypes?.get(name) ?? (storedTypes ? "" : known.get(name)?.column.type);
    return dialect.stored(type, declared ?? "", `t.${quoteIdentifier(name)}`);
  };
  const outputs = columns.map(
    ({ name, type }, index) => `${dialect.output(stored(name, type), type)} AS o${index}`,
  );
  const parameters: PlanValue[] = [];
  const bind = (value: PlanValue): string => {
    parameters.push(value);
    return database === "sqlite" ? "?" : `$${parameters.length}`;
  };
  const where = conditions.flatMap(({ column, type, operator, values }: SimpleCondition) => {
    const compared = dialect.compared(stored(column, type), type);
    if (compared === undefined) return [];
    const list = values.map((value) =>
      compared.mark.replace("?", bind(value === null ? null : compared.bound(value))),
    );
    return [`${compared.value} ${conditionSigns[operator]} (${list.join(", ")})`];
  });
  const tail = where.length === 0 ? "" : ` WHERE ${where.join(" AND ")}`;
  const table = source.table.map(quoteIdentifier).join(".");
  return { sql: `SELECT ${outputs.join(", ")} FROM ${table} AS t${tail}`, parameters };
}

const postgresTypes: Record<DataType["kind"], string> = {
  bool: "boolean",
  int: "bigint",
  float: "double precision",
  decimal: "numeric",
  text: "text",
  date: "date",
  timestamp: "timestamp",
  timestamptz: "timestamptz",
};

/** For PostgreSQL 12 and newer, in a session with UTC and ISO dates. A declared type needs no cast, which keeps indexes. */
const postgres: ScanDialect = {
  stored(type, declaredType, name) {
    const declared = declaredType.trim().toLowerCase();
    const isPlain = {
      float: !/^(?:real|float4)$/.test(declared),
      decimal: /\(/.test(declared),
      text: /^(?:text|str|string|(?:character varying|varchar)(?:\(\d+\))?)$/.test(declared),
    };
    if (type.kind === "decimal")
      return isPlain.decimal ? name : `cast(${name} as ${typeName(type)})`;
    if (type.kind !== "float" && type.kind !== "text") return name;
    return isPlain[type.kind] ? name : `cast(${name} as ${postgresTypes[type.kind]})`;
  },
  output: (value, { kind }) =>
    kind === "date" || kind === "timestamp" || kind === "timestamptz"
      ? `cast(${value} as text)`
      : value,
  compared: (value, { kind }) => ({
    value: kind === "text" ? `(${value} collate "C")` : value,
    bound: (one) => one,
    mark: `cast(? as ${postgresTypes[kind]})`,
  }),
};

/** Number of decimal digits that SQLite's floats preserve. */
const storedDigits = 15;

/**
 * For SQLite 3.38 and newer. A decimal is returned as an integer in units of its last digit, or as
 * text if SQLite does not store it exactly. A date is `YYYY-MM-DD`, a timestamp `YYYY-MM-DD
 * HH:MM:SS.SSS`, a timestamptz the same in UTC, a bool 0 or 1.
 */
const sqlite: ScanDialect = {
  stored(type, declaredType, name) {
    switch (type.kind) {
      case "decimal":
        return type.precision <= storedDigits
          ? `cast(round(${name} * 1${"0".repeat(type.scale)}.0) as integer)`
          : // A cast would write a small number as 1.2e-05.
            `(case when typeof(${name}) = 'real' and abs(${name}) < 1 then printf('%.${type.scale}f', ${name}) else cast(${name} as text) end)`;
      case "float":
        // A cast costs as much as the comparison and prevents the use of an index.
        return hasRealAffinity(declaredType) ? name : `cast(${name} as real)`;
      case "date":
        // Dates are usually stored in this format, and GLOB is much cheaper than date().
        return `(case when ${name} glob '????-??-??' then ${name} else date(${name}, 'auto') end)`;
      case "timestamp":
      case "timestamptz":
        return `strftime('%Y-%m-%d %H:%M:%f', ${name}, 'auto')`;
      case "text":
        // Converts a value that may be a number or bytes to text. Bytes are written as in PostgreSQL.
        return hasTextAffinity(declaredType)
          ? name
          : `(case typeof(${name}) when 'text' then ${name} when 'blob' then '\\x' || lower(hex(${name})) else cast(${name} as text) end)`;
      default:
        return name;
    }
  },
  output: (value) => value,
  compared(value, type) {
    if (type.kind === "decimal" && type.precision > storedDigits) return undefined;
    return {
      value: type.kind === "text" ? `${value} collate binary` : value,
      bound: (one) => sqliteValue(one, type),
      // Drivers bind whole numbers as integers.
      mark: type.kind === "float" ? "cast(? as real)" : "?",
    };
  },
};

const dialects = { postgresql: postgres, sqlite };

/** True if the column stores every number as a float (https://sqlite.org/datatype3.html, section 3.1). */
function hasRealAffinity(declaredType: string): boolean {
  return /REAL|FLOA|DOUB/i.test(declaredType) && !/INT|CHAR|CLOB|TEXT|BLOB/i.test(declaredType);
}

/** True if the column stores every number as text. */
function hasTextAffinity(declaredType: string): boolean {
  return /CHAR|CLOB|TEXT/i.test(declaredType) && !/INT/i.test(declaredType);
}

/** Converts a constant to the form that `stored` returns. */
function sqliteValue(value: PlanValue, type: DataType): PlanValue {
  switch (type.kind) {
    case "bool":
      return value === true ? 1n : 0n;
    case "int":
      return BigInt(String(value));
    case "decimal":
      return scaledInt(String(value), type.scale);
    case "timestamp":
    case "timestamptz": {
      const [clock = "", fraction = ""] = String(value)
        .replace("T", " ")
        .replace("Z", "")
        .split(".");
      return `${clock}.${fraction.padEnd(3, "0")}`;
    }
    case "float":
      // @photostructure/sqlite binds 1e-20 and other values barely above a whole number as 0.
      return String(value);
    default:
      return value;
  }
}
