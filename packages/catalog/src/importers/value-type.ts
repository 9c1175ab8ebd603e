/** Types of values in files. */
export type ValueType =
  | "null"
  | "boolean"
  | "integer"
  | "number"
  | "date"
  | "timestamp"
  | "timestamptz"
  | "string"
  | "object"
  | "array";

const integerText = /^[+-]?(?:0|[1-9]\d{0,17})$/;
// Thousands separators and decimal commas are ambiguous, so such a number stays a string.
const numberText = /^[+-]?(?:(?:0|[1-9]\d{0,25})(?:\.\d{0,25})?|\.\d{1,25})(?:e[+-]?\d{1,2})?$/i;
const dayText =
  /^(?:[1-9]\d{3}([-/.])(?:0?[1-9]|1[0-2])\1(?:0?[1-9]|[12]\d|3[01])|(?:0?[1-9]|[12]\d|3[01])\.(?:0?[1-9]|1[0-2])\.[1-9]\d{3})$/;
const timestampText =
  /^(\d{4}([-/.])\d\d\2\d\d)[T ](?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,9})?)?(Z|[+-](?:0\d|1[0-4])(?::?[0-5]\d)?)?$/;
const nullTexts = /^(?:|null|NULL|NA|N\/A|n\/a|NaN|nan|None|\\N)$/;

/** Returns the type of a cell in a text file. Codes with a leading zero, such as postal codes, are strings. */
export function typeOfText(text: string): ValueType {
  const value = text.trim();
  if (nullTexts.test(value)) return "null";
  if (value.length > 64) return "string";
  if (/^(?:true|false)$/i.test(value)) return "boolean";
  if (integerText.test(value)) return "integer";
  if (numberText.test(value)) return "number";
  if (isDay(value)) return "date";
  const [, day = "", , zone] = timestampText.exec(value) ?? [];
  if (!isDay(day)) return "string";
  return zone === undefined ? "timestamp" : "timestamptz";
}

function isDay(text: string): boolean {
  const parts = text.split(/[-/.]/).map(Number);
  const [year = 0, month = 0, day = 0] = Number(parts[0]) < 32 ? parts.toReversed() : parts;
  return dayText.test(text) && new Date(Date.UTC(year, month, 0)).getUTCDate() >= day;
}

/**
 * Returns the type of a parsed JSON value. A string that is a date counts as a date, but a string of digits does
 * not count as a number.
 */
export function typeOfValue(value: unknown): ValueType {
  if (value === null || value === undefined) return "null";
  if (typeof value === "boolean") return "boolean";
  if (typeof value === "number") return Number.isInteger(value) ? "integer" : "number";
  if (typeof value === "string") {
    const type = typeOfText(value);
    return /^(?:date|timestamp)/.test(type) && /^\d{4}-\d\d-\d\d/.test(value) ? type : "string";
  }
  return Array.isArray(value) ? "array" : "object";
}

const wider: ReadonlyMap<string, ValueType> = new Map([
  ["integer number", "number"],
  ["date timestamp", "timestamp"],
  ["date timestamptz", "timestamptz"],
]);

/**
 * Returns the narrowest type that holds both. Integers widen to numbers, dates to timestamps, null to any type,
 * and everything else to text.
 */
export function widened(left: ValueType, right: ValueType): ValueType {
  if (left === right || right === "null") return left;
  if (left === "null") return right;
  return wider.get([left, right].toSorted().join(" ")) ?? "string";
}
