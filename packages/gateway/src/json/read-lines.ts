import { parseJson } from "@ccl/core/json";

/** Reads JSON lines. Skips incomplete lines and those of another shape. */
export function readLines<Value>(
  text: string,
  isValue: (value: unknown) => value is Value,
): Value[] {
  return text.split("\n").map(parseJson).filter(isValue);
}
