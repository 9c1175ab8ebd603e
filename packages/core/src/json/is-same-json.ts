/** True if both are the same JSON value. Undefined members count as absent. */
export function isSameJson(left: unknown, right: unknown): boolean {
  const rest = [left, right];
  while (rest.length > 0) {
    const [one, other] = [rest.pop(), rest.pop()];
    if (one === other) continue;
    if (typeof one !== "object" || typeof other !== "object" || one === null || other === null)
      return false;
    const names = membersOf(one);
    if (Array.isArray(one) !== Array.isArray(other) || names.length !== membersOf(other).length)
      return false;
    for (const name of names) {
      if (!Object.hasOwn(other, name)) return false;
      rest.push(Reflect.get(one, name), Reflect.get(other, name));
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
