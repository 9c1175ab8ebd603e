import { canonicalDecimal, canonicalTime } from "../plan/canonical-value.ts";
import {
  decimalType,
  isNumeric,
  isSameType,
  isTime,
  type DataType,
  type DecimalType,
} from "../plan/data-type.ts";
import type { TypedExpression, TypedLiteral } from "../plan/typed-plan.ts";

/**
 * Returns a type that holds values of both types, or undefined. Numbers widen from int to decimal to float. A date
 * widens to a timestamp.
 */
export function commonType(left: DataType, right: DataType): DataType | undefined {
  if (isSameType(left, right)) return left;
  const kinds = new Set([left.kind, right.kind]);
  if (isNumeric(left) && isNumeric(right)) {
    const { precision, scale } = widerDecimal(left, right);
    return kinds.has("float") ? { kind: "float" } : decimalType(precision, scale);
  }
  const areDays = kinds.has("date") && kinds.has("timestamp");
  return areDays ? { kind: "timestamp" } : undefined;
}

/** Returns the decimal type that holds every value of a number type. */
export function decimalFor(type: DataType): DecimalType {
  return type.kind === "decimal" ? type : decimalType(19, 0);
}

/** Returns the decimal type of a factor. For a literal, only its actual digits count. */
export function decimalOf(value: TypedExpression): DecimalType {
  if (value.op !== "literal" || value.type.kind !== "int") return decimalFor(value.type);
  return decimalType(String(value.value).replace("-", "").length, 0);
}

/** Returns the decimal type that holds every value of two number types, with any number of digits. */
export function widerDecimal(left: DataType, right: DataType): DecimalType {
  const [first, second] = [decimalFor(left), decimalFor(right)];
  const scale = Math.max(first.scale, second.scale);
  const whole = Math.max(first.precision - first.scale, second.precision - second.scale);
  return { kind: "decimal", precision: whole + scale, scale };
}

/** True if `cast` supports the conversion. */
export function isCastable(from: DataType, to: DataType): boolean {
  const targets: Record<DataType["kind"], string> = {
    bool: "bool int",
    int: "int decimal float text",
    decimal: "int decimal float",
    float: "int decimal float",
    text: "text",
    date: "date timestamp text",
    timestamp: "timestamp date",
    timestamptz: "timestamptz",
  };
  return targets[from.kind].split(" ").includes(to.kind);
}

/** Converts a value to another type. Literals are converted immediately if possible. Anything else gets a cast. */
export function converted(value: TypedExpression, type: DataType): TypedExpression {
  if (isSameType(value.type, type)) return value;
  const literal = value.op === "literal" ? convertedLiteral(value, type) : undefined;
  if (literal !== undefined) return literal;
  return { op: "cast", value, type, unit: value.unit };
}

/** Converts a literal to another type. Returns undefined if its value does not convert. Text is parsed as a time. */
export function convertedLiteral(literal: TypedLiteral, type: DataType): TypedLiteral | undefined {
  if (literal.value === null) return { ...literal, type };
  const value = valueAs(type, literal.type.kind, String(literal.value));
  return value === undefined ? undefined : { ...literal, type, value };
}

function valueAs(
  type: DataType,
  from: DataType["kind"],
  text: string,
): string | number | undefined {
  const isExact = from === "int" || from === "decimal";
  if (isTime(type)) {
    const isConvertible = from === "text" || (from === "date" && type.kind === "timestamp");
    return isConvertible ? canonicalTime(text, type.kind) : undefined;
  }
  if (!isExact) return undefined;
  if (type.kind === "float") return Number(text);
  return type.kind === "decimal" ? atScale(text, type) : undefined;
}

/** Returns the digits with exactly the type's scale, or undefined if that would lose digits. */
function atScale(text: string, { precision, scale }: DecimalType): string | undefined {
  const [whole = "0", fraction = ""] = (canonicalDecimal(text) ?? text).split(".");
  const kept = fraction.padEnd(scale, "0");
  if (/[1-9]/.test(kept.slice(scale)) || whole.replace(/^-?0*/, "").length > precision - scale)
    return undefined;
  return scale === 0 ? whole : `${whole}.${kept.slice(0, scale)}`;
}

/** Returns the type of a literal as written. A decimal's type depends on its digits. */
export function literalType(kind: DataType["kind"], value: unknown): DataType {
  if (kind !== "decimal") return { kind };
  const [whole = "", fraction = ""] = String(value).replace("-", "").split(".");
  const digits = whole.replace(/^0+/, "").length + fraction.length;
  return { kind, precision: Math.max(1, digits), scale: fraction.length };
}
