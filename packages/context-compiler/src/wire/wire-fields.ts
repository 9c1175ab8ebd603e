import type { ProviderFields } from "@ccl/core";

/** A JSON object whose members have not been looked at. */
export interface WireRecord {
  [key: string]: unknown;
}

/** True for an object that is neither null nor an array. */
export function isWireRecord(value: unknown): value is WireRecord {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The members that are not undefined. */
export function defined<Value extends object>(
  record: Value,
): { [Key in keyof Value]: Exclude<Value[Key], undefined> };
export function defined(record: object): object {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined));
}

/** What is left of a record without the members that an adapter understands, under the name of its wire format. */
export function leftOver(
  format: string,
  record: WireRecord,
  known: readonly string[],
): { [format: string]: WireRecord } | undefined {
  const rest = Object.entries(record).filter(
    ([key, value]) => value !== undefined && !known.includes(key),
  );
  return rest.length === 0 ? undefined : { [format]: Object.fromEntries(rest) };
}

/** The fields that `leftOver` kept for this wire format. */
export function keptFields(format: string, owner: ProviderFields): WireRecord {
  const kept = owner.providerMetadata?.[format];
  return isWireRecord(kept) ? kept : {};
}
