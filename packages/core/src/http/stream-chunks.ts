import { onAbort } from "../async/abort.ts";

/**
 * Yields the chunks of a stream. It works on platforms that cannot iterate a `ReadableStream`. An
 * abort cancels the reader, so that a stalled source ends in bounded time even if it ignores its
 * signal.
 * @throws the signal's reason once it is aborted, or the stream's own failure
 */
export async function* streamChunks<Chunk>(
  stream: ReadableStream<Chunk>,
  signal?: AbortSignal,
): AsyncGenerator<Chunk> {
  const reader = stream.getReader();
  const cancel = (): Promise<void> => reader.cancel(signal?.reason).catch(() => undefined);
  // Cancelling also resolves a pending read.
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
    // Not awaited, because a source may never answer and a failed stream has nothing to cancel.
    void cancel();
  }
}
