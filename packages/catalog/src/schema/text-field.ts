import { stringAt, type JsonRecord } from "@ccl/core/json";

/** Returns the field's value if it is a non-empty string, otherwise undefined. */
export function textField(record: JsonRecord, name: string): string | undefined {
  const value = stringAt(record, name);
  return value === "" ? undefined : value;
}

/** Returns the non-empty strings in a list. */
export function textsOf(values: readonly unknown[]): string[] {
  return values.filter((value): value is string => typeof value === "string" && value !== "");
}
