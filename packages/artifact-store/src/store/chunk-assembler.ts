import { chunkBytes } from "../artifact-driver.ts";

/** Copies pieces of any size into chunks of one size, 1 MiB by default. The last chunk may be shorter. */
export class ChunkAssembler {
  readonly #sizeBytes: number;
  #chunk: Uint8Array | undefined;
  #filled = 0;

  constructor(sizeBytes: number = chunkBytes) {
    this.#sizeBytes = sizeBytes;
  }

  /** Yields the chunks that this piece completes. */
  *add(piece: Uint8Array): Generator<Uint8Array, void> {
    for (let at = 0; at < piece.length;) {
      const part = piece.subarray(at, at + this.#sizeBytes - this.#filled);
      this.#chunk ??= new Uint8Array(this.#sizeBytes);
      this.#chunk.set(part, this.#filled);
      this.#filled += part.length;
      at += part.length;
      if (this.#filled === this.#sizeBytes) yield this.rest();
    }
  }

  /** The incomplete chunk. Empty if there is none. */
  rest(): Uint8Array {
    const chunk = this.#chunk ?? new Uint8Array();
    const filled = this.#filled;
    this.#chunk = undefined;
    this.#filled = 0;
    return filled === chunk.length ? chunk : chunk.slice(0, filled);
  }
}
