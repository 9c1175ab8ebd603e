/** Number of chunks of a stream to read or write before yielding to the event loop. */
const chunksPerTurn = 4;

/**
 * Yields to the event loop after every few chunks. SQLite's calls are synchronous. Without this, everything else would
 * wait for the end of a long stream, and the memory of finished chunks would not be freed until then.
 */
export async function nextTurn(chunkIndex: number): Promise<void> {
  if (chunkIndex % chunksPerTurn !== chunksPerTurn - 1) return;
  await new Promise((resolve) => {
    setTimeout(resolve, 0);
  });
}
