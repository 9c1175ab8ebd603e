import { chunkBytes } from "../driver/artifact-driver.ts";

const leastBytes = 16 * 1024;

interface ChunkAssemblerOptions {
  isReused: boolean;
  sizeBytes?: number | undefined;
}

/** Copies pieces of any size and hands out chunks of one size, 1 MiB by default; the last one may be shorter. */
export class ChunkAssembler {
  #buffer = new Uint8Array();
  #filled = 0;
  readonly #isReused: boolean;
  readonly #sizeBytes: number;

  /** With `isReused` one buffer serves for all chunks, so each must be done with before the next is asked for. */
  constructor({ isReused, sizeBytes = chunkBytes }: ChunkAssemblerOptions) {
    this.#isReused = isReused;
    this.#sizeBytes = sizeBytes;
  }

  /** The chunks that this piece completes. */
  *add(piece: Uint8Array): Generator<Uint8Array, void> {
    for (let at = 0; at < piece.length;) {
      const part = piece.subarray(at, at + this.#sizeBytes - this.#filled);
      this.#reserve(this.#filled + part.length);
      this.#buffer.set(part, this.#filled);
      this.#filled += part.length;
      at += part.length;
      if (this.#filled === this.#sizeBytes) yield this.#take();
    }
  }

  /** The rest; empty when there is none. */
  rest(): Uint8Array {
    return this.#take();
  }

  #take(): Uint8Array {
    const chunk = this.#buffer.subarray(0, this.#filled);
    this.#filled = 0;
    if (!this.#isReused) this.#buffer = new Uint8Array();
    return chunk;
  }

  #reserve(needed: number): void {
    if (needed <= this.#buffer.length) return;
    const wanted = Math.max(needed, this.#buffer.length * 4, leastBytes);
    const grown = new Uint8Array(Math.min(this.#sizeBytes, wanted));
    grown.set(this.#buffer.subarray(0, this.#filled));
    this.#buffer = grown;
  }
}
