import { stringAt, type JsonRecord } from "@ccl/core/json";

/** The field as a text; undefined where it is none, or is empty. */
export function textField(record: JsonRecord, name: string): string | undefined {
  const value = stringAt(record, name);
  return value === "" ? undefined : value;
}

/** The texts of a list. */
export function textsOf(values: readonly unknown[]): string[] {
  return values.filter((value): value is string => typeof value === "string" && value !== "");
}
