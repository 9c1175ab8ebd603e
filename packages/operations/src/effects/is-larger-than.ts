// Deeper ones are refused by what copies the value; a value that holds itself has no end.
const maxDepth = 201;

/** True if the value has more characters as JSON, about. Ends as soon as that is known, and reads no long text. */
export function isLargerThan(value: unknown, maxChars: number): boolean {
  return charsLeft(value, maxChars) < 0;
}

/** What is left of so many characters after the value, about; below 0, by any number, if it has more. */
export function charsLeft(value: unknown, leftChars: number, depth: number = 0): number {
  if (typeof value === "string") return leftChars - value.length - 2;
  if (typeof value !== "object" || value === null || depth > maxDepth) return leftChars - 4;
  let left = leftChars - 2;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length && left >= 0; index += 1)
      left = charsLeft(value[index], left - 1, depth + 1);
    return left;
  }
  for (const key of Object.keys(value)) {
    if (left < 0) break;
    left = charsLeft(Reflect.get(value, key), left - key.length - 4, depth + 1);
  }
  return left;
}
