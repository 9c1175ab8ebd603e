import type { ConformanceHooks, KitRule } from "@ccl/core/conformance";
import assert from "node:assert/strict";

import { isRecord } from "@ccl/core/json";

import { OperationsError } from "../src/operations-error.ts";
import { withCalls } from "../src/ports/with-calls.ts";

/** A rule as a script of calls. Their outcomes must equal those of the in-memory store. */
export interface ScriptRule<Store> {
  name: string;
  needs?: "openSecond";
  script(store: Store, more: ScriptTools<Store>): Promise<unknown>;
  /** Removes from the outcomes what stores may choose freely. */
  comparable?(outcomes: unknown[]): unknown;
}

/** What a script gets besides the store whose calls are recorded. */
interface ScriptTools<Store> {
  /** The store without the recording. */
  raw: Store;
  /** Opens another handle on the same data. Its calls are recorded too. */
  second(): Promise<Store>;
  /** Records a value that the script computed from results of the store. */
  record(value: unknown): void;
}

/** What a call returned, or the code of the error that it threw. */
interface Outcome {
  call: string;
  value?: unknown;
  error?: string;
}

/** Turns scripts into rules of a conformance kit. */
export function rulesOfScripts<Store extends object>(
  rules: readonly ScriptRule<Store>[],
  openReference: () => Store,
): KitRule<Store>[] {
  return rules.map((rule) => ({
    name: rule.name,
    needs: rule.needs,
    async check(store, hooks) {
      const open = async (): Promise<Store> => openReference();
      const reference = await open();
      const openSecond = async (): Promise<Store> => reference;
      const expected = await outcomesOf(rule, reference, { open, openSecond });
      assert.deepEqual(await outcomesOf(rule, store, hooks), expected);
    },
  }));
}

/** The outcomes of a rule's calls, without what stores may choose freely. */
export async function outcomesOf<Store extends object>(
  { script, comparable }: ScriptRule<Store>,
  store: Store,
  hooks: ConformanceHooks<Store>,
): Promise<unknown> {
  const outcomes: Outcome[] = [];
  const second = async (): Promise<Store> =>
    recording((await hooks.openSecond?.(store)) ?? assert.fail(), outcomes);
  const record = (value: unknown): void => void outcomes.push({ call: "record", value });
  await script(recording(store, outcomes), { raw: store, second, record }).catch((error: unknown) =>
    record(String(error)),
  );
  const plain = JSON.stringify(outcomes, (key, value: unknown) => {
    if (key === "history" && Array.isArray(value)) return value.filter(isSaid);
    return isFree.has(key) ? typeof value : value;
  });
  const known: unknown[] = JSON.parse(plain);
  return comparable === undefined ? known : comparable(known);
}

/** Fields whose content each store may choose. */
const isFree: ReadonlySet<string> = new Set(["cursor", "message", "position"]);

/** A store may put a system prompt before the first turn. */
const isSaid = (message: unknown): boolean =>
  isRecord(message) && (message["role"] === "user" || message["role"] === "assistant");

/** Wraps the store so that the outcome of each call is recorded in call order. An error is an outcome too. */
function recording<Store extends object>(store: Store, outcomes: Outcome[]): Store {
  return withCalls(store, async (call, run) => {
    const outcome: Outcome = { call };
    outcomes.push(outcome);
    try {
      outcome.value = await run();
    } catch (error) {
      outcome.error = OperationsError.isInstance(error) ? error.code : String(error);
    }
    // A copy, since the store may change the object later.
    return (outcome.value = structuredClone(outcome.value));
  });
}
