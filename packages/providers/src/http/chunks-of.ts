/** What a stream gives, piece by piece. Not every platform can iterate a ReadableStream. */
export async function* chunksOf<Chunk>(stream: ReadableStream<Chunk>): AsyncGenerator<Chunk> {
  const reader = stream.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    // For a source that does not heed its signal; a stream that has failed already has nothing to cancel.
    await reader.cancel().catch(() => undefined);
  }
}
