/**
 * Recursively freezes plain objects and arrays. Assumes that a frozen object is frozen throughout.
 */
export function deepFreeze<T>(value: T): T {
  const rest: unknown[] = [value];
  while (rest.length > 0) {
    const item = rest.pop();
    if (typeof item !== "object" || item === null || Object.isFrozen(item)) continue;
    if (ArrayBuffer.isView(item)) continue;
    Object.freeze(item);
    for (const field of Object.values(item)) rest.push(field);
  }
  return value;
}
