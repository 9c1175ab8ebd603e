/**
 * Default limit of an operation's output, in characters of JSON. Checking that much blocks the process for under 0.1 s.
 */
export const maxValueChars: number = 250_000;

// `copyJson` rejects deeper values, and this also stops at cycles.
const maxDepth = 201;

/**
 * True if the value is longer than `maxChars` as JSON. Undercounts strings with escapes and objects with `toJSON`.
 * Stops as soon as the answer is known, and never reads long strings.
 */
export function isLargerThan(value: unknown, maxChars: number): boolean {
  return charsLeft(value, maxChars) < 0;
}

/** Returns how many of `leftChars` remain after the value. Negative if the value does not fit. */
export function charsLeft(value: unknown, leftChars: number, depth: number = 0): number {
  if (typeof value === "string") return leftChars - value.length - 2;
  if (typeof value !== "object" || value === null) return leftChars - String(value ?? null).length;
  if (depth > maxDepth) return leftChars - 1;
  // Only `toJSON` knows the length.
  if ("toJSON" in value) return leftChars - 1;
  let left = leftChars - 1;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length && left >= 0; index += 1)
      left = charsLeft(value[index], left - 1, depth + 1);
    return left;
  }
  for (const key of Object.keys(value)) {
    if (left < 0) break;
    const field: unknown = Reflect.get(value, key);
    // JSON omits other fields.
    if (field !== undefined && typeof field !== "function")
      left = charsLeft(field, left - key.length - 4, depth + 1);
  }
  return left;
}
