import { hashBytes, type HashedBytes } from "./hashed-bytes.ts";

/** The rank of bytes that are not a token. It is above all others. */
export const NO_RANK: number = 2 ** 31 - 1;

const rankBits = 18;
const rankMask = 2 ** rankBits - 1;

/** An encoding's tokens, looked up by the hash of their bytes. */
export class TokenTable {
  /** Ranks of the tokens of two bytes, at `256 * first + second`. */
  readonly pairRanks: Int32Array = new Int32Array(2 ** 16).fill(NO_RANK);
  /**
   * All tokens' bytes in the order of their ranks. A token begins at `#starts[rank]` and ends where the next one
   * begins.
   */
  readonly #bytes: Uint8Array;
  readonly #starts: Int32Array;
  /**
   * A hash table with open addressing. A slot contains the upper bits of a token's hash and, in the lower bits, its
   * rank + 1. 0 marks an empty slot.
   */
  readonly #slots: Int32Array;
  #longestToken = 0;

  /**
   * Reads a vocabulary from `packVocabulary`.
   * @throws RangeError if it is not one
   */
  constructor(packed: Uint8Array) {
    const count =
      packed.byteLength < 4 ? 0 : new DataView(packed.buffer, packed.byteOffset).getUint32(0, true);
    const lengths = packed.subarray(4, 4 + count);
    this.#bytes = packed.subarray(4 + count);
    this.#starts = new Int32Array(count + 1);
    for (let rank = 0; rank < count; rank++) {
      this.#starts[rank + 1] = (this.#starts[rank] ?? 0) + (lengths[rank] ?? 0);
    }
    if (count === 0 || this.#starts[count] !== this.#bytes.length)
      throw new RangeError("This is not a packed vocabulary.");
    this.#slots = new Int32Array(2 ** Math.ceil(Math.log2(2 * count + 2)));
    for (let rank = 0; rank < count; rank++) this.#add(rank);
  }

  /** Returns the rank of the token between `start` and `end` of the text, or `NO_RANK`. */
  rankOf(text: HashedBytes, start: number, end: number): number {
    if (end - start > this.#longestToken) return NO_RANK;
    const slots = this.#slots;
    const hash = text.hash(start, end);
    for (let slot = this.#firstSlot(hash); ; slot = (slot + 1) & (slots.length - 1)) {
      const entry = slots[slot] ?? 0;
      if (entry === 0) return NO_RANK;
      if ((entry ^ hash) >>> rankBits !== 0) continue;
      const rank = (entry & rankMask) - 1;
      if (this.#lengthAt(rank, text.bytes, start) === end - start) return rank;
    }
  }

  #add(rank: number): void {
    const start = this.#starts[rank] ?? 0;
    const end = this.#starts[rank + 1] ?? 0;
    if (end === start) return;
    const bytes = this.#bytes;
    if (end - start === 2)
      this.pairRanks[((bytes[start] ?? 0) << 8) | (bytes[start + 1] ?? 0)] = rank;
    this.#longestToken = Math.max(this.#longestToken, end - start);
    const hash = hashBytes(bytes, start, end);
    let slot = this.#firstSlot(hash);
    while (this.#slots[slot] !== 0) slot = (slot + 1) & (this.#slots.length - 1);
    this.#slots[slot] = (hash & ~rankMask) | (rank + 1);
  }

  #firstSlot(hash: number): number {
    return (Math.imul(hash ^ (hash >>> 15), 0x45d9f3b) >>> 7) & (this.#slots.length - 1);
  }

  /** Returns the length of the token if the bytes at `start` equal it, otherwise -1. */
  #lengthAt(rank: number, bytes: Uint8Array, start: number): number {
    const first = this.#starts[rank] ?? 0;
    const length = (this.#starts[rank + 1] ?? 0) - first;
    let at = 0;
    while (at < length && this.#bytes[first + at] === bytes[start + at]) at++;
    return at === length ? length : -1;
  }
}
