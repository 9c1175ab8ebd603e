/** Passes values from a producer to one reader. The producer is never more than one value ahead. */
export interface Channel<T> {
  /** Resolves when the value is taken. False: the reader has stopped. */
  send(value: T): Promise<boolean>;
  /** Ends the values. */
  end(): void;
  /** Rejects the reader with the error. */
  fail(error: unknown): void;
  /** The reader stops. */
  close(): void;
  values: AsyncIterable<T>;
  /** The server process of the producer, once known. */
  processId: number | undefined;
  /** The producer has ended. */
  isOver: boolean;
}

/** A channel without a buffer. */
export function createChannel<T>(): Channel<T> {
  let waiting: { value: T; taken: (isRead: boolean) => void } | undefined;
  let wake: (() => void) | undefined;
  let state: "open" | "ended" | "closed" = "open";
  let failure: { error: unknown } | undefined;
  const awake = (): void => {
    wake?.();
    wake = undefined;
  };
  const close = (): void => {
    if (state === "open") state = "closed";
    waiting?.taken(false);
    waiting = undefined;
    awake();
  };
  async function* read(): AsyncGenerator<T, void> {
    for (;;) {
      if (failure !== undefined) throw failure.error;
      if (waiting !== undefined) {
        const { value, taken } = waiting;
        waiting = undefined;
        // Resolved before the value is used, so that the producer fetches the next one meanwhile.
        taken(true);
        yield value;
      } else if (state === "open") {
        await new Promise<void>((resolve) => (wake = resolve));
      } else return;
    }
  }
  return {
    send(value) {
      if (state !== "open") return Promise.resolve(false);
      return new Promise((taken) => {
        waiting = { value, taken };
        awake();
      });
    },
    end() {
      if (state === "open") state = "ended";
      awake();
    },
    fail(error) {
      failure ??= { error };
      if (state === "open") state = "ended";
      awake();
    },
    close,
    values: read(),
    processId: undefined,
    isOver: false,
  };
}
