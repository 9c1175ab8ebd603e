import type { ConformanceHooks, KitRule } from "@ccl/core/conformance";
import assert from "node:assert/strict";

import { isRecord } from "@ccl/core/json";

import { OperationsError } from "../operations-error.ts";

/** A rule as calls, whose outcomes have to be those of the store in memory. */
export interface ScriptRule<Store> {
  name: string;
  needs?: "openSecond";
  script(store: Store, more: ScriptTools<Store>): Promise<unknown>;
  /** True where calls race: their outcomes count in any order, whichever run won. */
  isRace?: boolean;
}

/** What a script has beside a store whose calls are recorded. */
interface ScriptTools<Store> {
  /** The store without the recording. */
  raw: Store;
  /** Another handle on the data, recorded too. */
  second(): Promise<Store>;
  /** Records a value that was worked out from what the store gave. */
  record(value: unknown): void;
}

/** What a call gave, or the code of what it threw. */
interface Outcome {
  call: string;
  value?: unknown;
  error?: string;
}

/** The rules as a kit has them. */
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

/** What the calls of a rule give, without what stores are free in. */
export async function outcomesOf<Store extends object>(
  { script, isRace = false }: ScriptRule<Store>,
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
  const tokens = new Set([0]);
  const plain = JSON.stringify(outcomes, (key, value: unknown) => {
    if (key === "fencingToken") tokens.add(Number(value));
    if (key === "history" && Array.isArray(value)) return value.filter(isSaid);
    return isFree.has(key) ? typeof value : value;
  });
  // Tokens may have gaps: what counts is which of two is higher.
  const ranks = [...tokens].sort((one, other) => one - other);
  const known: unknown[] = JSON.parse(plain, (key, value: unknown) =>
    key === "fencingToken" ? ranks.indexOf(Number(value)) : value,
  );
  return isRace ? raced(known) : known;
}

/** What each store says in its own way. */
const isFree: ReadonlySet<string> = new Set(["cursor", "message", "position"]);

/** A system prompt may stand before the first turn. */
const isSaid = (message: unknown): boolean =>
  isRecord(message) && (message["role"] === "user" || message["role"] === "assistant");

function raced(outcomes: readonly unknown[]): string[] {
  const texts = outcomes.map((outcome) => JSON.stringify(outcome));
  const created = texts.find((text) => text.includes('"created"')) ?? "";
  const [runId = "none"] = /"r\d"/.exec(created) ?? [];
  return texts.map((text) => text.replaceAll(runId, '"winner"')).sort();
}

/** The store, with the outcome of each call in its place among all; what a call throws is an outcome too. */
function recording<Store extends object>(store: Store, outcomes: Outcome[]): Store {
  return new Proxy(store, {
    get(target, key) {
      const member: unknown = Reflect.get(target, key);
      if (typeof member !== "function") return member;
      return async (...parameters: unknown[]): Promise<unknown> => {
        const outcome: Outcome = { call: String(key) };
        outcomes.push(outcome);
        try {
          outcome.value = await Reflect.apply(member, target, parameters);
        } catch (error) {
          outcome.error = OperationsError.isInstance(error) ? error.code : String(error);
        }
        // As it was then, whatever the store does with the object later.
        return (outcome.value = structuredClone(outcome.value));
      };
    },
  });
}
