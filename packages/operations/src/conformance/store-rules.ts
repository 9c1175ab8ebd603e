import assert from "node:assert/strict";

import { OperationsError, type OperationsErrorCode } from "../operations-error.ts";

/** One rule; `run` rejects with an assertion error when the store breaks it. */
export interface ConformanceRule {
  name: string;
  run(): Promise<void>;
}

/** How a kit gets at stores. What is left out is not promised, and the rules for it are not in the list. */
export interface StoreConformanceOptions<Store> {
  /** An empty store; called once a rule. */
  open(): Promise<Store>;
  /** Called at the end of each rule with what `open` gave. */
  close?(store: Store): Promise<void>;
  /** A second handle on the data of an open store, as another process would have it; of what is to outlive a process. */
  openSecond?(store: Store): Promise<Store>;
}

/** A rule before it is bound to a store. */
export interface StoreRule<Store> {
  name: string;
  /** True where it looks at the data through a second handle. */
  needsSecond?: boolean | undefined;
  check(store: Store, second: Store): Promise<void>;
}

/** Binds rules to the stores of an adapter. */
export function bindRules<Store>(
  rules: readonly StoreRule<Store>[],
  options: StoreConformanceOptions<Store>,
): ConformanceRule[] {
  const { open, close, openSecond } = options;
  return rules
    .filter(({ needsSecond }) => needsSecond !== true || openSecond !== undefined)
    .map(({ name, needsSecond, check }) => ({
      name,
      async run() {
        const store = await open();
        const second =
          needsSecond === true && openSecond !== undefined ? await openSecond(store) : store;
        try {
          await check(store, second);
        } finally {
          if (second !== store) await close?.(second);
          await close?.(store);
        }
      },
    }));
}

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

/** Fails unless the call rejects with that code. */
export async function expectCode(
  code: OperationsErrorCode,
  call: () => Promise<unknown>,
): Promise<void> {
  let error: unknown;
  try {
    await call();
  } catch (thrown) {
    error = thrown;
  }
  assert.ok(error !== undefined, `expected ${code}, but nothing was thrown`);
  assert.ok(OperationsError.isInstance(error), `expected ${code}, but got ${String(error)}`);
  assert.equal(error.code, code);
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
