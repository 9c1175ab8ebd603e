/** True if both are the same JSON value. Undefined members count as absent. */
export function isSameJson(left: unknown, right: unknown): boolean {
  const rest = [left, right];
  while (rest.length > 0) {
    const [value, other] = [rest.pop(), rest.pop()];
    if (value === other) continue;
    if (typeof value !== "object" || typeof other !== "object" || value === null || other === null)
      return false;
    const names = membersOf(value);
    if (Array.isArray(value) !== Array.isArray(other) || names.length !== membersOf(other).length)
      return false;
    for (const name of names) {
      if (!Object.hasOwn(other, name)) return false;
      rest.push(Reflect.get(value, name), Reflect.get(other, name));
    }
  }
  return true;
}

function membersOf(value: object): string[] {
  const names = Object.keys(value);
  return Array.isArray(value)
    ? names
    : names.filter((name) => Reflect.get(value, name) !== undefined);
}
