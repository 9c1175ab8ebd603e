import { HashedBytes } from "./hashed-bytes.ts";

/** The rank of what is no token: above all others. */
export const NO_RANK: number = 2 ** 31 - 1;

/** An encoding's tokens by the hash of their bytes. */
export class TokenTable {
  /** The ranks of the tokens of two bytes, at `256 * first + second`. */
  readonly pairRanks: Int32Array = new Int32Array(2 ** 16).fill(NO_RANK);
  /** All tokens' bytes in order of rank; a token's begin at `#starts[rank]` and end where the next one's begin. */
  readonly #bytes: Uint8Array;
  readonly #starts: Int32Array;
  /** Open addressing, two numbers a slot: a token's hash, and its rank + 1 or 0 for an empty slot. */
  readonly #slots: Int32Array;
  #longestToken = 0;

  /** `vocabulary[rank]` is a token's text, or its bytes where they are no text; holes are unused ranks. */
  constructor(vocabulary: readonly (string | readonly number[] | undefined)[]) {
    this.#slots = new Int32Array(2 ** Math.ceil(Math.log2(4 * vocabulary.length + 4)));
    this.#starts = new Int32Array(vocabulary.length + 1);
    this.#bytes = new Uint8Array(3 * vocabulary.reduce((length, token) => length + (token?.length ?? 0), 0));
    const token = new HashedBytes(1024);
    for (let rank = 0; rank < vocabulary.length; rank++) {
      token.write(vocabulary[rank] ?? "");
      this.#add(rank, token);
    }
  }

  /** The rank of the token that stands in the text from `start` to `end`, or `NO_RANK`. */
  rankOf(text: HashedBytes, start: number, end: number): number {
    if (end - start > this.#longestToken) return NO_RANK;
    const slots = this.#slots;
    const hash = text.hash(start, end);
    for (let slot = this.#firstSlot(hash); ; slot = (slot + 2) & (slots.length - 1)) {
      const rank = (slots[slot + 1] ?? 0) - 1;
      if (rank < 0) return NO_RANK;
      if (slots[slot] === hash && this.#lengthAt(rank, text.bytes, start) === end - start) return rank;
    }
  }

  #add(rank: number, token: HashedBytes): void {
    const { bytes, end } = token;
    const start = this.#starts[rank] ?? 0;
    this.#starts[rank + 1] = start + end - 1;
    for (let at = 1; at < end; at++) this.#bytes[start + at - 1] = bytes[at] ?? 0;
    if (end === 1) return;
    if (end === 3) this.pairRanks[((bytes[1] ?? 0) << 8) | (bytes[2] ?? 0)] = rank;
    this.#longestToken = Math.max(this.#longestToken, end - 1);
    const hash = token.hash(1, end);
    let slot = this.#firstSlot(hash);
    while (this.#slots[slot + 1] !== 0) slot = (slot + 2) & (this.#slots.length - 1);
    this.#slots[slot] = hash;
    this.#slots[slot + 1] = rank + 1;
  }

  #firstSlot(hash: number): number {
    return (Math.imul(hash ^ (hash >>> 15), 0x45d9f3b) >>> 7) & (this.#slots.length - 2);
  }

  /** The length of a token if it stands at `start`, else -1. */
  #lengthAt(rank: number, bytes: Uint8Array, start: number): number {
    const first = this.#starts[rank] ?? 0;
    const length = (this.#starts[rank + 1] ?? 0) - first;
    let at = 0;
    while (at < length && this.#bytes[first + at] === bytes[start + at]) at++;
    return at === length ? length : -1;
  }
}
