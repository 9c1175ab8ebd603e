/** How many chunks of a stream are read or written before the event loop continues. */
const chunksPerTurn = 4;

/**
 * Yields to the event loop after every few chunks. SQLite's calls are synchronous: without it everything else waits
 * until a long stream has ended, and the memory of finished chunks is not freed meanwhile.
 */
export async function nextTurn(chunkIndex: number): Promise<void> {
  if (chunkIndex % chunksPerTurn !== chunksPerTurn - 1) return;
  await new Promise((resolve) => {
    setTimeout(resolve, 0);
  });
}
