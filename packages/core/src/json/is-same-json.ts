/** True where both are one JSON value; members that are undefined count as absent. */
export function isSameJson(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (typeof left !== "object" || typeof right !== "object" || left === null || right === null)
    return false;
  if (Array.isArray(left) || Array.isArray(right))
    if (!Array.isArray(left) || !Array.isArray(right) || left.length !== right.length) return false;
  const own = membersOf(left);
  return (
    own.length === membersOf(right).length &&
    own.every(
      (name) =>
        Object.hasOwn(right, name) && isSameJson(Reflect.get(left, name), Reflect.get(right, name)),
    )
  );
}

function membersOf(value: object): string[] {
  return Object.keys(value).filter((name) => Reflect.get(value, name) !== undefined);
}
