import assert from "node:assert/strict";

/** A rule of a contract, for any test runner: `for (const { name, run } of rules) it(name, run)`. */
export interface ConformanceRule {
  name: string;
  /** Rejects with an assertion error if the rule is broken. The error says what was expected. */
  run(): Promise<void>;
}

/** How a kit opens the subject under test. Rules that need an absent hook are left out. */
export interface ConformanceHooks<Subject> {
  /**
   * Opens an empty subject for each rule. The kit closes it after the rule, if it has a `close`.
   */
  open(): Promise<Subject>;
  /** Closes the subject and opens the same data again, as after a restart. */
  reopen?(subject: Subject): Promise<Subject>;
  /** Opens a second handle to the data of an open subject, as another process would. */
  openSecond?(subject: Subject): Promise<Subject>;
}

/** A rule that has not been bound to an adapter yet. */
export interface KitRule<
  Subject,
  Hooks extends ConformanceHooks<Subject> = ConformanceHooks<Subject>,
> {
  name: string;
  /** The hook that the rule needs. */
  needs?: keyof Hooks | undefined;
  check(subject: Subject, hooks: Required<Hooks>): Promise<void>;
}

/** Binds a kit's rules to an adapter's hooks. */
export function bindRules<Subject, Hooks extends ConformanceHooks<Subject>>(
  rules: readonly KitRule<Subject, Hooks>[],
  hooks: Hooks,
): ConformanceRule[] {
  const checkedHooks = new Proxy(hooks, { get: hookOrFailure }) as Required<Hooks>;
  return rules
    .filter(({ needs }) => needs === undefined || hooks[needs] !== undefined)
    .map(({ name, check }) => ({
      name,
      async run() {
        const subject = await hooks.open();
        try {
          await check(subject, checkedHooks);
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
