import { onAbort } from "../async/abort.ts";

/**
 * What a stream gives, chunk by chunk. Not every platform can iterate a `ReadableStream`, and not every source obeys
 * its signal: an abort cancels the reader here, so that a stalled source ends in bounded time.
 * @throws the signal's reason once it is aborted, and what the stream fails with
 */
export async function* streamChunks<Chunk>(
  stream: ReadableStream<Chunk>,
  signal?: AbortSignal,
): AsyncGenerator<Chunk> {
  const reader = stream.getReader();
  const cancel = (): Promise<void> => reader.cancel(signal?.reason).catch(() => undefined);
  // Cancelling resolves a read that is waiting.
  const forget = signal && onAbort(signal, () => void cancel());
  try {
    for (;;) {
      signal?.throwIfAborted();
      const { done, value } = await reader.read();
      signal?.throwIfAborted();
      if (done) return;
      yield value;
    }
  } finally {
    forget?.();
    // Not awaited: a source may never answer, and a stream that failed has nothing to cancel.
    void cancel();
  }
}
