/** Maximum length of a range that can be hashed. The longest tokens have 128 bytes. */
const longestSpan = 1024;
const base = 0x2f0b4c47;

/**
 * A string as UTF-8, which can hash any range in constant time. Positions begin at 1, so that every
 * position has a predecessor.
 */
export class HashedBytes {
  readonly bytes: Uint8Array;
  /** One past the last byte. */
  end = 1;
  readonly #sums: Int32Array;
  readonly #powers = new Int32Array(longestSpan + 1).fill(1);

  constructor(capacity: number) {
    this.bytes = new Uint8Array(capacity + 2);
    this.#sums = new Int32Array(capacity + 2);
    for (let at = 1; at <= longestSpan; at++)
      this.#powers[at] = Math.imul(this.#powers[at - 1] ?? 0, base);
  }

  /** Replaces the text. */
  write(text: string): void {
    const { bytes } = this;
    const sums = this.#sums;
    this.end = writeUtf8(text, bytes);
    for (let at = 1; at < this.end; at++)
      sums[at + 1] = (Math.imul(sums[at] ?? 0, base) + (bytes[at] ?? 0) + 1) | 0;
  }

  /** Returns the hash of a range of up to 1,024 bytes. */
  hash(start: number, end: number): number {
    return (
      ((this.#sums[end] ?? 0) - Math.imul(this.#sums[start] ?? 0, this.#powers[end - start] ?? 0)) |
      0
    );
  }
}

/** Returns the hash that `HashedBytes` computes for the same bytes. */
export function hashBytes(bytes: Uint8Array, start: number, end: number): number {
  let hash = 0;
  for (let at = start; at < end; at++) hash = (Math.imul(hash, base) + (bytes[at] ?? 0) + 1) | 0;
  return hash;
}

/**
 * Writes from position 1 on and returns the end. A lone surrogate becomes U+FFFD, as in every
 * encoder.
 */
function writeUtf8(text: string, target: Uint8Array): number {
  let index = 0;
  while (index < text.length && text.charCodeAt(index) < 0x80)
    target[index + 1] = text.charCodeAt(index++);
  return index === text.length
    ? index + 1
    : encoder.encodeInto(text, target.subarray(1)).written + 1;
}

const encoder = new TextEncoder();
