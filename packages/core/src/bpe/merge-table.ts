/** The size of the longest piece that is merged as a whole. */
const longestPieceBytes = 2 ** 17;

/** Rank and position share one number in the queue, so that the least is the lowest rank, leftmost first. */
const positions = 2 ** 20;

/** Ranks of an encoding's byte sequences, each spelled as a string of one character a byte. */
export class MergeTable {
  readonly #ranks = new Map<string, number>();
  #longestToken = 1;
  readonly #next = new Int32Array(longestPieceBytes + 1);
  readonly #previous = new Int32Array(longestPieceBytes + 1);
  /** The rank of the merge queued at each position, or -1. */
  readonly #rankAt = new Int32Array(longestPieceBytes + 1);

  /** `vocabulary[rank]` is a token's text, or its bytes where they are no text; holes are unused ranks. */
  constructor(vocabulary: readonly (string | readonly number[] | undefined)[]) {
    for (const [rank, token] of vocabulary.entries()) {
      if (token === undefined) continue;
      const bytes = typeof token === "string" ? toByteString(token) : String.fromCharCode(...token);
      this.#ranks.set(bytes, rank);
      this.#longestToken = Math.max(this.#longestToken, bytes.length);
    }
  }

  /** How many tokens byte pair encoding makes of one piece of at most `longestPieceBytes`. */
  count(bytes: string): number {
    if (this.#ranks.has(bytes)) return 1;
    const queue: number[] = [];
    for (let start = 0; start < bytes.length; start++) {
      this.#next[start] = start + 1;
      this.#previous[start] = start - 1;
    }
    for (let start = 0; start < bytes.length; start++) this.#offer(bytes, start, queue);
    let tokens = bytes.length;
    for (let least = pop(queue); least !== undefined; least = pop(queue)) {
      const start = least % positions;
      if (this.#rankAt[start] !== Math.floor(least / positions)) continue;
      const merged = this.#next[start] ?? 0;
      const after = this.#next[merged] ?? 0;
      this.#rankAt[merged] = -1;
      this.#next[start] = after;
      this.#previous[after] = start;
      tokens--;
      this.#offer(bytes, start, queue);
      if (start > 0) this.#offer(bytes, this.#previous[start] ?? 0, queue);
    }
    return tokens;
  }

  /** Queues the merge of the part at `start` with the part behind it, if there is such a token. */
  #offer(bytes: string, start: number, queue: number[]): void {
    const middle = this.#next[start] ?? 0;
    const end = middle < bytes.length ? (this.#next[middle] ?? 0) : Infinity;
    const rank = end - start > this.#longestToken ? -1 : (this.#ranks.get(bytes.slice(start, end)) ?? -1);
    this.#rankAt[start] = rank;
    if (rank >= 0) push(queue, rank * positions + start);
  }
}

function push(heap: number[], value: number): void {
  let index = heap.push(value) - 1;
  while (index > 0) {
    const parent = (index - 1) >> 1;
    const above = heap[parent] ?? 0;
    if (above <= value) break;
    heap[index] = above;
    index = parent;
  }
  heap[index] = value;
}

function pop(heap: number[]): number | undefined {
  const least = heap[0];
  const last = heap.pop();
  if (last === undefined || heap.length === 0) return least;
  let index = 0;
  for (let child = 1; child < heap.length; child = 2 * index + 1) {
    if ((heap[child + 1] ?? Infinity) < (heap[child] ?? Infinity)) child++;
    const below = heap[child] ?? Infinity;
    if (below >= last) break;
    heap[index] = below;
    index = child;
  }
  heap[index] = last;
  return least;
}

/** UTF-8, one character a byte; half a surrogate pair becomes U+FFFD, as in every encoder. */
export function toByteString(text: string): string {
  let index = 0;
  while (index < text.length && text.charCodeAt(index) < 0x80) index++;
  if (index === text.length) return text;
  const target = 3 * text.length <= shortBytes.length ? shortBytes : new Uint8Array(3 * text.length);
  const { written } = encoder.encodeInto(text, target);
  let bytes = "";
  for (let start = 0; start < written; start += shortBytes.length) {
    bytes += String.fromCharCode(...target.subarray(start, Math.min(start + shortBytes.length, written)));
  }
  return bytes;
}

const encoder = new TextEncoder();
const shortBytes = new Uint8Array(1024);
