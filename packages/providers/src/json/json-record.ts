import { isRecord, type JsonRecord } from "@ccl/core/json";

/** Removes the named members and those that are undefined or null. */
export function without(record: JsonRecord, ...keys: string[]): JsonRecord {
  const known = new Set(keys);
  return Object.fromEntries(
    Object.entries(record).filter(
      ([key, value]) => !known.has(key) && value !== undefined && value !== null,
    ),
  );
}

/** `{ [provider]: fields }`. Undefined if there are no fields. */
export function metadataOf(provider: string, fields: JsonRecord): JsonRecord | undefined {
  const present = Object.entries(fields).filter(
    ([, value]) => value !== undefined && !(isRecord(value) && Object.keys(value).length === 0),
  );
  return present.length === 0 ? undefined : { [provider]: Object.fromEntries(present) };
}
