import { isRecord, type JsonRecord } from "@ccl/core/json";

/** The members that are neither undefined nor null, without those that are named. */
export function without(record: JsonRecord, ...keys: string[]): JsonRecord {
  const known = new Set(keys);
  return Object.fromEntries(
    Object.entries(record).filter(
      ([key, value]) => !known.has(key) && value !== undefined && value !== null,
    ),
  );
}

/** `{ [provider]: fields }`, undefined when there is nothing to pass on. */
export function metadataOf(provider: string, fields: JsonRecord): JsonRecord | undefined {
  const present = Object.entries(fields).filter(
    ([, value]) => value !== undefined && !(isRecord(value) && Object.keys(value).length === 0),
  );
  return present.length === 0 ? undefined : { [provider]: Object.fromEntries(present) };
}
