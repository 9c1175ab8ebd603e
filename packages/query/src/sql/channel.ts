/** Hands values from a producer to one reader, one at a time: the producer is at most one ahead. */
export interface Channel<T> {
  /** Resolves once the value is taken; false: nobody reads any more. */
  send(value: T): Promise<boolean>;
  /** No more values. */
  end(): void;
  /** The reader gets the error. */
  fail(error: unknown): void;
  /** Nobody reads any more. */
  close(): void;
  values: AsyncIterable<T>;
  /** The server's process of the producer, once known. */
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
        // Taken before it is used, so that the next one is fetched meanwhile.
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
