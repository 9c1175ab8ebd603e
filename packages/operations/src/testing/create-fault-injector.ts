import { OperationsError } from "../operations-error.ts";

/** Where a process dies: at the given write, from 1, before or after it is done. */
export interface CrashPoint {
  write: number;
  when: "before" | "after";
}

/** Stands between an engine and its stores, and lets the engine's process die at a chosen write. */
export interface FaultInjector {
  /** The same store; of the methods that are named, each call counts as a write. */
  wrap<Store extends object>(store: Store, writes: readonly (keyof Store & string)[]): Store;
  /** Writes so far, as `method`. */
  readonly writes: readonly string[];
  /** True once the process is dead: from then on every call of a wrapped store fails. */
  readonly hasCrashed: boolean;
}

/** An injector that crashes at a point, or counts writes where there is none. */
export function createFaultInjector(crash?: CrashPoint): FaultInjector {
  const writes: string[] = [];
  let hasCrashed = false;
  const die = (): never => {
    hasCrashed = true;
    throw new OperationsError("store_failed", "The process has died.");
  };
  return {
    writes,
    get hasCrashed() {
      return hasCrashed;
    },
    wrap: (store, named) =>
      new Proxy(store, {
        get(target, key) {
          const member: unknown = Reflect.get(target, key);
          if (typeof member !== "function") return member;
          const isWrite = named.some((name) => name === key);
          return async (...parameters: unknown[]): Promise<unknown> => {
            if (hasCrashed) die();
            if (!isWrite) return Reflect.apply(member, target, parameters);
            writes.push(String(key));
            const isHere = writes.length === crash?.write;
            if (isHere && crash.when === "before") die();
            const answer: unknown = await Reflect.apply(member, target, parameters);
            if (isHere) die();
            // Another write may have killed the process meanwhile.
            if (hasCrashed) die();
            return answer;
          };
        },
      }),
  };
}
