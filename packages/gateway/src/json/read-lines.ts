import { parseJson } from "@ccl/core/json";

/** Lines of JSON; those that are cut off or of another form are passed over. */
export function readLines<Value>(
  text: string,
  isValue: (value: unknown) => value is Value,
): Value[] {
  return text.split("\n").map(parseJson).filter(isValue);
}
