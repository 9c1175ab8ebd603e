/** A JSON object whose members have not been looked at. */
export interface JsonRecord {
  [key: string]: unknown;
}

/** True for an object that is neither null nor an array. */
export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The member `key` as an object; empty when it is something else. */
export function recordAt(value: unknown, key: string): JsonRecord {
  const member = isRecord(value) ? value[key] : undefined;
  return isRecord(member) ? member : {};
}

/** The member `key` as an array; empty when it is something else. */
export function arrayAt(value: unknown, key: string): unknown[] {
  const member = isRecord(value) ? value[key] : undefined;
  return Array.isArray(member) ? member : [];
}

/** The member `key` where it is a string. */
export function stringAt(value: unknown, key: string): string | undefined {
  const member = isRecord(value) ? value[key] : undefined;
  return typeof member === "string" ? member : undefined;
}

/** The member `key` where it is a finite number. */
export function numberAt(value: unknown, key: string): number | undefined {
  const member = isRecord(value) ? value[key] : undefined;
  return typeof member === "number" && Number.isFinite(member) ? member : undefined;
}

/** The members that are neither undefined nor null, without those that are named. */
export function without(record: JsonRecord, ...keys: string[]): JsonRecord {
  const known = new Set(keys);
  return Object.fromEntries(
    Object.entries(record).filter(
      ([key, value]) => !known.has(key) && value !== undefined && value !== null,
    ),
  );
}

/** The members that are not undefined. */
export function defined<Value extends object>(
  record: Value,
): { [Key in keyof Value]: Exclude<Value[Key], undefined> };
export function defined(record: object): object {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined));
}

/** The value of a JSON text; undefined when it is not one. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** `{ [provider]: fields }`, undefined when there is nothing to pass on. */
export function metadataOf(provider: string, fields: JsonRecord): JsonRecord | undefined {
  const present = Object.entries(fields).filter(
    ([, value]) => value !== undefined && !(isRecord(value) && Object.keys(value).length === 0),
  );
  return present.length === 0 ? undefined : { [provider]: Object.fromEntries(present) };
}
