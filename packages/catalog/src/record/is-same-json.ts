/** True where both are one JSON value; members that are undefined count as absent. */
export function isSameJson(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (typeof left !== "object" || typeof right !== "object" || left === null || right === null)
    return false;
  if (Array.isArray(left) || Array.isArray(right)) {
    if (!Array.isArray(left) || !Array.isArray(right) || left.length !== right.length) return false;
    return left.every((item: unknown, at) => isSameJson(item, right[at]));
  }
  const members = new Map<string, unknown>(Object.entries(right).filter(isPresent));
  const own = Object.entries(left).filter(isPresent);
  return (
    own.length === members.size &&
    own.every(([name, value]) => isSameJson(value, members.get(name)))
  );
}

function isPresent([, value]: [string, unknown]): boolean {
  return value !== undefined;
}
