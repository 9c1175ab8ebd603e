/** A JSON object with unchecked members. */
export interface JsonRecord {
  [key: string]: unknown;
}

/** True for an object that is neither null nor an array. */
export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Parses JSON. Undefined if the text is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns the member if it is an object, otherwise an empty object. */
export function recordAt(value: unknown, key: string): JsonRecord {
  const member = isRecord(value) ? value[key] : undefined;
  return isRecord(member) ? member : {};
}

/** Returns the member if it is an array, otherwise an empty array. */
export function arrayAt(value: unknown, key: string): unknown[] {
  const member = isRecord(value) ? value[key] : undefined;
  return Array.isArray(member) ? member : [];
}

/** Returns the member if it is a string. */
export function stringAt(value: unknown, key: string): string | undefined {
  const member = isRecord(value) ? value[key] : undefined;
  return typeof member === "string" ? member : undefined;
}

/** Returns the member if it is a finite number. */
export function numberAt(value: unknown, key: string): number | undefined {
  const member = isRecord(value) ? value[key] : undefined;
  return typeof member === "number" && Number.isFinite(member) ? member : undefined;
}

/**
 * Returns a copy without undefined members, for records whose member names are compared or listed.
 */
export function withoutUndefined<Value extends object>(
  record: Value,
): { [Key in keyof Value]: Exclude<Value[Key], undefined> };
export function withoutUndefined(record: object): object {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined));
}

/** Returns a copy without the members of these names. */
export function withoutMembers(
  record: object,
  names: ReadonlySet<string>,
): Record<string, unknown> {
  return Object.fromEntries(Object.entries(record).filter(([name]) => !names.has(name)));
}
