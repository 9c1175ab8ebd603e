import { chunkBytes } from "../artifact-driver.ts";

/** Copies pieces of any size into chunks of one size. The last chunk may be shorter. */
export async function* inChunks(
  pieces: AsyncIterable<Uint8Array> | readonly Uint8Array[],
  sizeBytes: number = chunkBytes,
): AsyncGenerator<Uint8Array, void> {
  let chunk: Uint8Array | undefined;
  let filled = 0;
  for await (const piece of pieces) {
    for (let at = 0; at < piece.length;) {
      const part = piece.subarray(at, at + sizeBytes - filled);
      chunk ??= new Uint8Array(sizeBytes);
      chunk.set(part, filled);
      filled += part.length;
      at += part.length;
      if (filled < sizeBytes) continue;
      yield chunk;
      chunk = undefined;
      filled = 0;
    }
  }
  if (chunk !== undefined) yield chunk.slice(0, filled);
}

/** Yields views of equal size into the bytes. The last one may be shorter. */
export function* chunksOf(
  bytes: Uint8Array,
  sizeBytes: number = chunkBytes,
): Generator<Uint8Array, void> {
  for (let at = 0; at < bytes.length; at += sizeBytes) yield bytes.subarray(at, at + sizeBytes);
}
