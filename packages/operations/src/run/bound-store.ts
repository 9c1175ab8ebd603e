import type { RunClock } from "../ports/run-clock.ts";
import { OperationsError } from "../operations-error.ts";
import { withCalls } from "../ports/with-calls.ts";

/** Limits the duration of each store call. After that the call fails with `unavailable`, even if it later completes. */
export function boundStore<Store extends object>(
  store: Store,
  { clock, timeoutMs }: { clock: RunClock; timeoutMs: number },
): Store {
  return withCalls(
    store,
    (method, run) =>
      new Promise((resolve, reject) => {
        const cancel = clock.schedule(timeoutMs, () => {
          const message = `The store has not answered ${method} within ${timeoutMs} ms.`;
          reject(new OperationsError("unavailable", message, { details: { timeoutMs } }));
        });
        run().finally(cancel).then(resolve, reject);
      }),
  );
}
