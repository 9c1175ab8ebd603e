/** Passes values from a producer to one reader. The producer is never more than one value ahead of the reader. */
export interface Channel<T> {
  /** Resolves when the value is taken. Resolves to false if the reader has stopped. */
  send(value: T): Promise<boolean>;
  /** Ends the sequence of values. */
  end(): void;
  /** Rejects the reader with the error. */
  fail(error: unknown): void;
  /** Stops the reader. */
  close(): void;
  values: AsyncIterable<T>;
  /** Id of the producer's server process, once known. */
  processId: number | undefined;
  /** True once the producer has ended. */
  isOver: boolean;
}

/** Creates an unbuffered channel. */
export function createChannel<T>(): Channel<T> {
  let close = (): void => {};
  const { readable, writable } = new TransformStream<T, T>(
    { start: (controller) => void (close = () => controller.terminate()) },
    undefined,
    { highWaterMark: 0 },
  );
  const writer = writable.getWriter();
  const isDone = (done: Promise<void>): Promise<boolean> =>
    done.then(
      () => true,
      () => false,
    );
  // Not every browser supports `for await` over a stream.
  async function* read(): AsyncGenerator<T, void> {
    const reader = readable.getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  }
  return {
    send: (value) => isDone(writer.write(value)),
    end: () => void isDone(writer.close()),
    fail: (error) => void isDone(writer.abort(error)),
    close: () => close(),
    values: read(),
    processId: undefined,
    isOver: false,
  };
}
