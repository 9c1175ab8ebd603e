/** The types that values of files are told apart by. */
export type ValueType =
  | "null"
  | "boolean"
  | "integer"
  | "number"
  | "date"
  | "timestamp"
  | "string"
  | "object"
  | "array";

const integerText = /^[+-]?(?:0|[1-9]\d{0,17})$/;
// Either 1,234.5 and 1234.5e-3, or as it is written in much of Europe: 1 234,5.
const numberText = /^[+-]?(?:\d{1,3}(?:,\d{3})+|\d{1,25})?(?:\.\d{1,25})?(?:e[+-]?\d{1,3})?$/i;
const commaNumberText = /^[+-]?(?:\d{1,3}(?:[ \u00A0\u202F]\d{3})+|\d{1,25}),\d{1,25}$/;
const dateText =
  /^(?:\d{4}[-/.](?:0?[1-9]|1[0-2])[-/.](?:0?[1-9]|[12]\d|3[01])|(?:0?[1-9]|[12]\d|3[01])[./](?:0?[1-9]|1[0-2])[./]\d{4})$/;
const clock = String.raw`[T ]\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d{1,9})?)?(?: ?(?:Z|[+-]\d{2}:?\d{2}))?`;
const timestampText = new RegExp(
  `^(?:\\d{4}[-/.]\\d{1,2}[-/.]\\d{1,2}|\\d{1,2}[./]\\d{1,2}[./]\\d{4})${clock}$`,
);
const nullTexts = new Set(["", "null", "NULL", "NA", "N/A", "n/a", "NaN", "nan", "None", "\\N"]);

/** What a cell of a text file is. Codes with a leading zero, such as postal codes, are texts. */
export function typeOfText(text: string): ValueType {
  const value = text.trim();
  if (nullTexts.has(value)) return "null";
  if (value.length > 64) return "string";
  if (/^(?:true|false)$/i.test(value)) return "boolean";
  if (integerText.test(value)) return "integer";
  if (
    /\d/.test(value) &&
    !/^[+-]?0\d/.test(value) &&
    (numberText.test(value) || commaNumberText.test(value))
  )
    return "number";
  if (dateText.test(value)) return "date";
  return timestampText.test(value) ? "timestamp" : "string";
}

/** What a value of parsed JSON is; texts that are dates count as such, texts of digits do not count as numbers. */
export function typeOfValue(value: unknown): ValueType {
  if (value === null || value === undefined) return "null";
  if (typeof value === "boolean") return "boolean";
  if (typeof value === "number") return Number.isInteger(value) ? "integer" : "number";
  if (typeof value === "string") {
    const type = value.length > 64 ? "string" : typeOfText(value);
    return type === "date" || type === "timestamp" ? type : "string";
  }
  return Array.isArray(value) ? "array" : "object";
}

/** The narrowest type that has both: integers are numbers, dates are timestamps, nulls are anything, else it is a text. */
export function widened(left: ValueType, right: ValueType): ValueType {
  if (left === right || right === "null") return left;
  if (left === "null") return right;
  const pair = new Set([left, right]);
  if (pair.has("integer") && pair.has("number")) return "number";
  if (pair.has("date") && pair.has("timestamp")) return "timestamp";
  return "string";
}
