import type { DuckDBValue } from "@duckdb/node-api";
import type { PlanValue } from "../connector/column-batch.ts";
import type { DataType } from "../plan/data-type.ts";
import { exactInt, scaledInt, scaledText, type ValueDecoder } from "../connector/decode-value.ts";

/** The DuckDB module, imported when an engine opens. */
export type DuckDbModule = typeof import("@duckdb/node-api");

const dayMs = 86_400_000;

/** Creates an encoder from plan values to DuckDB values. */
export function duckDbEncoder(
  duckdb: DuckDbModule,
  type: DataType,
): (value: PlanValue) => DuckDBValue {
  const orNull =
    (encode: (text: string) => DuckDBValue) =>
    (value: PlanValue): DuckDBValue =>
      value === null ? null : encode(String(value));
  switch (type.kind) {
    case "int":
      return (value) => (typeof value === "number" ? BigInt(value) : value);
    case "decimal":
      return orNull(
        (text) =>
          new duckdb.DuckDBDecimalValue(scaledInt(text, type.scale), type.precision, type.scale),
      );
    case "date":
      return orNull((text) => new duckdb.DuckDBDateValue(Date.parse(`${text}T00:00:00Z`) / dayMs));
    case "timestamp":
      return orNull((text) => new duckdb.DuckDBTimestampValue(microsOf(text)));
    case "timestamptz":
      return orNull((text) => new duckdb.DuckDBTimestampTZValue(microsOf(text)));
    default:
      return (value) => value;
  }
}

function microsOf(text: string): bigint {
  const [clock = "", fraction = ""] = text.replace("Z", "").split(".");
  return BigInt(Date.parse(`${clock}Z`)) * 1_000n + BigInt(fraction.padEnd(6, "0") || "0");
}

/** Creates a decoder from DuckDB values to plan values. */
export function duckDbDecoder(duckdb: DuckDbModule, type: DataType): ValueDecoder {
  const { kind } = type;
  switch (kind) {
    case "bool":
      return (value) => (typeof value === "boolean" ? value : undefined);
    case "int":
      return exactInt;
    case "float":
      return (value) => (typeof value === "number" ? value + 0 : undefined);
    case "text":
      return (value) => (typeof value === "string" ? value : undefined);
    case "decimal":
      return (value) =>
        value instanceof duckdb.DuckDBDecimalValue
          ? scaledText(value.value, value.scale)
          : undefined;
    case "date":
      return (value) =>
        value instanceof duckdb.DuckDBDateValue ? dateText(value.days * dayMs) : undefined;
    case "timestamp":
      return (value) =>
        value instanceof duckdb.DuckDBTimestampValue ? clockText(value.micros) : undefined;
    case "timestamptz":
      return (value) =>
        value instanceof duckdb.DuckDBTimestampTZValue ? clockText(value.micros, "Z") : undefined;
  }
}

function dateText(timeMs: number): string | undefined {
  const text = new Date(timeMs).toISOString();
  return text.length === 24 ? text.slice(0, 10) : undefined;
}

function clockText(micros: bigint, zone = ""): string | undefined {
  const rest = ((micros % 1_000_000n) + 1_000_000n) % 1_000_000n;
  const text = new Date(Number((micros - rest) / 1_000n)).toISOString();
  if (text.length !== 24) return undefined;
  const fraction = rest === 0n ? "" : `.${String(rest).padStart(6, "0").replace(/0+$/, "")}`;
  return `${text.slice(0, 19)}${fraction}${zone}`;
}
