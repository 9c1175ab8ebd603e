// Deeper ones are refused by what copies the value; a value that holds itself has no end.
const maxDepth = 201;

/** True if the value has more characters as JSON; of texts with escapes, and of what JSON writes in its own way, fewer are counted. Ends as soon as that is known, and reads no long text. */
export function isLargerThan(value: unknown, maxChars: number): boolean {
  return charsLeft(value, maxChars) < 0;
}

/** What is left of so many characters after the value; below 0, by any number, if it has more. */
export function charsLeft(value: unknown, leftChars: number, depth: number = 0): number {
  if (typeof value === "string") return leftChars - value.length - 2;
  if (typeof value !== "object" || value === null) return leftChars - String(value ?? null).length;
  if (depth > maxDepth) return leftChars - 1;
  // How long it is, it says itself.
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
    // JSON leaves out the others.
    if (field !== undefined && typeof field !== "function")
      left = charsLeft(field, left - key.length - 4, depth + 1);
  }
  return left;
}
