import { OperationsError } from "../operations-error.ts";

/** Where a process dies: at the given write, counted from 1, before or after it is done. */
export interface CrashPoint {
  write: number;
  when: "before" | "after";
}

/** Wraps the stores of an engine, so that the engine's process dies at a chosen write. */
export interface FaultInjector {
  /** Wraps a store. Each call of these methods counts as a write. */
  wrap<Store extends object>(store: Store, writes: readonly (keyof Store & string)[]): Store;
  /** Writes so far, by method name. */
  readonly writes: readonly string[];
  /** True once the process is dead. From then on every call of a wrapped store fails. */
  readonly hasCrashed: boolean;
}

/** Creates an injector that crashes at a point. Without a point it only counts writes. */
export function createFaultInjector(crash?: CrashPoint): FaultInjector {
  const writes: string[] = [];
  let hasCrashed = false;
  const die = (): never => {
    hasCrashed = true;
    throw new OperationsError("unavailable", "The process has died.");
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
            // Another write may have killed the process in the meantime.
            if (hasCrashed) die();
            return answer;
          };
        },
      }),
  };
}
