import type { RunClock } from "../ports/run-clock.ts";
import { OperationsError } from "../operations-error.ts";

/**
 * Limits the time of each call of a store. After that the call fails with `store_failed`, even if it still completes.
 */
export function boundStore<Store extends object>(
  store: Store,
  { clock, timeoutMs }: { clock: RunClock; timeoutMs: number },
): Store {
  return new Proxy(store, {
    get(target, key) {
      const member: unknown = Reflect.get(target, key);
      if (typeof member !== "function") return member;
      return (...parameters: unknown[]): Promise<unknown> =>
        new Promise((resolve, reject) => {
          const cancel = clock.schedule(timeoutMs, () => {
            const message = `The store has not answered ${String(key)} within ${timeoutMs} ms.`;
            reject(new OperationsError("store_failed", message, { details: { timeoutMs } }));
          });
          const settle =
            (end: (value: unknown) => void) =>
            (value: unknown): void => {
              cancel();
              end(value);
            };
          try {
            const answer: unknown = Reflect.apply(member, target, parameters);
            const promise = answer instanceof Promise ? answer : Promise.resolve(answer);
            promise.then(settle(resolve), settle(reject));
          } catch (error) {
            settle(reject)(error);
          }
        });
    },
  });
}
