import { isRecord } from "@ccl/core/json";
import { redactSecrets } from "@ccl/core";

/** The same value with secrets masked in every string, names of members excepted. */
export function redactValue(value: unknown): unknown {
  if (typeof value === "string") return redactSecrets(value).text;
  if (Array.isArray(value)) return value.map(redactValue);
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, redactValue(member)]),
  );
}
