/** How a call ended. */
type TimedOutcome<T> =
  | { state: "done"; value: T }
  | { state: "failed"; error: unknown }
  | { state: "timed_out" };

/**
 * Runs an action that is told to stop, and no longer waited for, when its time is up or the outer signal is aborted. A
 * timer never outlives the call. Rejects only when the outer signal is aborted, with its reason.
 */
export async function runWithin<T>(
  action: (signal: AbortSignal) => Promise<T>,
  { timeoutMs, signal }: { timeoutMs: number; signal: AbortSignal },
): Promise<TimedOutcome<T>> {
  signal.throwIfAborted();
  const controller = new AbortController();
  let stop: (outcome: TimedOutcome<T> | undefined) => void = () => undefined;
  const stopped = new Promise<TimedOutcome<T> | undefined>((resolve) => (stop = resolve));
  const timer = setTimeout(() => stop({ state: "timed_out" }), timeoutMs);
  const onAbort = (): void => stop(undefined);
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    const running = Promise.resolve()
      .then(() => action(controller.signal))
      .then(
        (value): TimedOutcome<T> => ({ state: "done", value }),
        (error: unknown): TimedOutcome<T> => ({ state: "failed", error }),
      );
    const outcome = await Promise.race([running, stopped]);
    signal.throwIfAborted();
    return outcome ?? { state: "timed_out" };
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", onAbort);
    controller.abort();
  }
}

/** Runs the action for each item, so many at a time, with the results in the order of the items. The first rejection ends it. */
export async function mapConcurrently<Item, Value>(
  items: readonly Item[],
  concurrency: number,
  action: (item: Item) => Promise<Value>,
): Promise<Value[]> {
  const values = new Map<number, Value>();
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < items.length) {
      const index = next;
      next += 1;
      for (const item of items.slice(index, index + 1)) values.set(index, await action(item));
    }
  };
  await Promise.all(Array.from({ length: Math.min(concurrency, items.length) }, work));
  return [...values].sort(([left], [right]) => left - right).map(([, value]) => value);
}
