/** True where both are one JSON value; members that are undefined count as absent. */
export function isSameJson(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (typeof left !== "object" || typeof right !== "object" || left === null || right === null)
    return false;
  if (Array.isArray(left) || Array.isArray(right))
    if (!Array.isArray(left) || !Array.isArray(right) || left.length !== right.length) return false;
  const own = Object.entries(left).filter(isPresent);
  return (
    own.length === Object.entries(right).filter(isPresent).length &&
    own.every(
      ([name, value]) => Object.hasOwn(right, name) && isSameJson(value, Reflect.get(right, name)),
    )
  );
}

function isPresent([, value]: [string, unknown]): boolean {
  return value !== undefined;
}
