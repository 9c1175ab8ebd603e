import assert from "node:assert/strict";

/** One promise of a contract, for any test runner: `for (const { name, run } of rules) it(name, run)`. */
export interface ConformanceRule {
  name: string;
  /** Rejects, with an assertion error that says what was expected, where the promise is broken. */
  run(): Promise<void>;
}

/** How a kit gets at what it checks. What is left out is not promised, and the rules for it are not in the list. */
export interface ConformanceHooks<Subject> {
  /** An empty one, for each rule; it is closed at the rule's end where it can be. */
  open(): Promise<Subject>;
  /** Closes it and opens the same data again, as after a restart. */
  reopen?(subject: Subject): Promise<Subject>;
  /** A second handle on the data of an open one, as another process would have it. */
  openSecond?(subject: Subject): Promise<Subject>;
}

/** A rule before it is bound to an adapter. */
export interface KitRule<
  Subject,
  Hooks extends ConformanceHooks<Subject> = ConformanceHooks<Subject>,
> {
  name: string;
  /** The hook without which it can't be checked. */
  needs?: keyof Hooks | undefined;
  check(subject: Subject, hooks: Required<Hooks>): Promise<void>;
}

/** Binds a kit's rules to what an adapter opens. */
export function bindRules<Subject, Hooks extends ConformanceHooks<Subject>>(
  rules: readonly KitRule<Subject, Hooks>[],
  hooks: Hooks,
): ConformanceRule[] {
  const given = new Proxy(hooks, { get: hookOrFailure }) as Required<Hooks>;
  return rules
    .filter(({ needs }) => needs === undefined || hooks[needs] !== undefined)
    .map(({ name, check }) => ({
      name,
      async run() {
        const subject = await hooks.open();
        try {
          await check(subject, given);
        } finally {
          if (canBeClosed(subject)) await subject.close();
        }
      },
    }));
}

function hookOrFailure(hooks: object, name: string | symbol): unknown {
  return (
    Reflect.get(hooks, name) ??
    (() => Promise.reject(new assert.AssertionError({ message: `no ${String(name)} was given` })))
  );
}

function canBeClosed(subject: unknown): subject is { close(): Promise<void> } {
  return (
    typeof subject === "object" &&
    subject !== null &&
    "close" in subject &&
    typeof subject.close === "function"
  );
}
