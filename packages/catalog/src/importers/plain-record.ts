/** An object with unknown fields, such as parsed JSON has. */
export type PlainRecord = Record<string, unknown>;

/** True for an object that is no array. */
export function isPlainRecord(value: unknown): value is PlainRecord {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The field as a text; undefined where it is none, or is empty. */
export function textField(record: PlainRecord, name: string): string | undefined {
  const value = record[name];
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** The field as an object; an empty one where it is none. */
export function recordField(record: PlainRecord, name: string): PlainRecord {
  const value = record[name];
  return isPlainRecord(value) ? value : {};
}

/** The field as a list; an empty one where it is none. */
export function listField(record: PlainRecord, name: string): unknown[] {
  const value = record[name];
  return Array.isArray(value) ? value : [];
}

/** The texts of a list. */
export function textsOf(values: readonly unknown[]): string[] {
  return values.filter((value): value is string => typeof value === "string" && value !== "");
}
