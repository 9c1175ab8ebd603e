/** Chunks of a stream that are read or written before others have their turn. */
const chunksPerTurn = 4;

/**
 * Gives others their turn of the event loop after every few chunks. SQLite's calls are synchronous: without it all else
 * waits until a long stream has ended, and the memory of chunks that are done with is not given back meanwhile.
 */
export async function nextTurn(chunkIndex: number): Promise<void> {
  if (chunkIndex % chunksPerTurn !== chunksPerTurn - 1) return;
  await new Promise((resolve) => {
    setTimeout(resolve, 0);
  });
}
