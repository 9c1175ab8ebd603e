import assert from "node:assert/strict";

/** Fails unless both are the same values; a member that is `undefined` is the same as none. */
export function assertSame(actual: unknown, expected: unknown, message?: string): void {
  assert.deepEqual(withoutUndefined(actual), withoutUndefined(expected), message);
}

function withoutUndefined(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutUndefined);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, member]) => member !== undefined)
      .map(([name, member]) => [name, withoutUndefined(member)]),
  );
}

/** A signal that is aborted already. */
export function aborted(): { signal: AbortSignal } {
  return { signal: AbortSignal.abort() };
}

/** JSON that careless stores change: order of keys, numbers, odd names, text beyond ASCII. */
export const oddValue: unknown = {
  z: [1, 0.1, -0.5, 1e21, 123456789012345],
  a: { "": null, "ключ 🙂": 'quote " and \\ and \n', __proto: true, "a.b": [[], {}] },
  text: "x".repeat(10_000),
};

/** Ids that a careless store takes for one another, or for a pattern. */
export const oddIds: readonly string[] = [
  "s",
  "S",
  "s ",
  "s/1",
  "s%",
  "s_",
  "s'",
  "s:1",
  "сессия 🙂",
  "x".repeat(200),
];
