/** True where both are one JSON value; members that are undefined count as absent. */
export function isSameJson(left: unknown, right: unknown): boolean {
  const rest: [unknown, unknown][] = [[left, right]];
  for (let pair = rest.pop(); pair !== undefined; pair = rest.pop()) {
    const [one, other] = pair;
    if (one === other) continue;
    if (typeof one !== "object" || typeof other !== "object" || one === null || other === null)
      return false;
    if (Array.isArray(one) || Array.isArray(other))
      if (!Array.isArray(one) || !Array.isArray(other) || one.length !== other.length) return false;
    const names = membersOf(one);
    if (names.length !== membersOf(other).length) return false;
    for (const name of names) {
      if (!Object.hasOwn(other, name)) return false;
      rest.push([Reflect.get(one, name), Reflect.get(other, name)]);
    }
  }
  return true;
}

function membersOf(value: object): string[] {
  return Object.keys(value).filter((name) => Reflect.get(value, name) !== undefined);
}
