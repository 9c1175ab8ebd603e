import { HashedBytes } from "./hashed-bytes.ts";
import { NO_RANK, type TokenTable } from "./token-table.ts";

/**
 * Maximum length, in code units, of a piece that is merged as a whole. A code unit takes up to
 * three bytes.
 */
const longestPiece = 2 ** 15;
const longestBytes = 3 * longestPiece;
/**
 * The queue stores rank and position in one number, so that the smallest number has the lowest rank
 * and, among equal ranks, is leftmost.
 */
const positions = 2 ** 17;

/**
 * Merges the bytes of a piece by byte pair encoding: the pair with the lowest rank first, and among
 * equal ranks the leftmost.
 */
export class PieceMerger {
  readonly #table: TokenTable;
  readonly #text = new HashedBytes(longestBytes);
  /**
   * Indexed by the start of a part: the starts of the next and the previous part, and the rank of
   * the part merged with the next one.
   */
  readonly #next = new Int32Array(longestBytes + 2);
  readonly #previous = new Int32Array(longestBytes + 2);
  readonly #rankAt = new Int32Array(longestBytes + 2);
  /** The rank with which the merge at each position was last queued. */
  readonly #queuedAt = new Int32Array(longestBytes + 2);
  /**
   * Merges with a lower rank than their neighbours, which includes the lowest of all. Some entries
   * are stale.
   */
  readonly #queue = new MinQueue(3 * longestBytes);

  constructor(table: TokenTable) {
    this.#table = table;
  }

  /**
   * Counts the tokens of a piece. A piece longer than `longestPiece` is counted in parts, and each
   * cut may add a token or two.
   */
  count(piece: string): number {
    let tokens = 0;
    for (let start = 0; start < piece.length;) {
      let end = Math.min(start + longestPiece, piece.length);
      if (end < piece.length && (piece.codePointAt(end - 1) ?? 0) > 0xffff) end--;
      tokens += this.#countPart(piece.slice(start, end));
      start = end;
    }
    return tokens;
  }

  #countPart(part: string): number {
    this.#text.write(part);
    const { end } = this.#text;
    if (this.#table.rankOf(this.#text, 1, end) !== NO_RANK) return 1;
    this.#link(end);
    for (let start = 1; start < end; start++) this.#offer(start);
    let tokens = end - 1;
    while (this.#queue.size > 0) {
      const smallest = this.#queue.pop();
      const start = smallest % positions;
      if (this.#rankAt[start] !== Math.floor(smallest / positions)) continue;
      this.#merge(start, end);
      tokens--;
    }
    return tokens;
  }

  /** Turns each byte into a part. */
  #link(end: number): void {
    const rankAt = this.#rankAt;
    const next = this.#next;
    const previous = this.#previous;
    const { bytes } = this.#text;
    const pairs = this.#table.pairRanks;
    rankAt[0] = NO_RANK;
    next[0] = 1;
    next[end] = end + 1;
    for (let start = 1; start < end; start++) {
      next[start] = start + 1;
      previous[start] = start - 1;
      this.#queuedAt[start] = NO_RANK;
      rankAt[start] = pairs[((bytes[start] ?? 0) << 8) | (bytes[start + 1] ?? 0)] ?? NO_RANK;
    }
    previous[end] = end - 1;
    rankAt[end - 1] = NO_RANK;
    rankAt[end] = NO_RANK;
  }

  /** Joins the part at `start` with the next one. */
  #merge(start: number, end: number): void {
    const next = this.#next;
    const merged = next[start] ?? 0;
    const after = next[merged] ?? 0;
    const before = this.#previous[start] ?? 0;
    next[start] = after;
    this.#previous[after] = start;
    this.#rankAt[merged] = NO_RANK;
    for (let at = before; at <= start; at = next[at] ?? end) this.#rate(at, end);
    for (let at = this.#previous[before] ?? 0; at <= after; at = next[at] ?? end) this.#offer(at);
  }

  #rate(start: number, end: number): void {
    const middle = this.#next[start] ?? end;
    this.#rankAt[start] =
      start === 0 || middle === end
        ? NO_RANK
        : this.#table.rankOf(this.#text, start, this.#next[middle] ?? end);
  }

  /** Queues the merge at `start` unless a neighbouring merge goes first. */
  #offer(start: number): void {
    const rankAt = this.#rankAt;
    const rank = rankAt[start] ?? NO_RANK;
    if (rank === NO_RANK || rank === this.#queuedAt[start]) return;
    if (
      (rankAt[this.#previous[start] ?? 0] ?? 0) <= rank ||
      (rankAt[this.#next[start] ?? 0] ?? 0) < rank
    )
      return;
    this.#queuedAt[start] = rank;
    this.#queue.push(rank * positions + start);
  }
}

/** A heap of numbers that returns the smallest number first. */
class MinQueue {
  size = 0;
  readonly #heap: Float64Array;

  constructor(capacity: number) {
    this.#heap = new Float64Array(capacity);
  }

  push(value: number): void {
    const heap = this.#heap;
    let index = this.size++;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      const above = heap[parent] ?? 0;
      if (above <= value) break;
      heap[index] = above;
      index = parent;
    }
    heap[index] = value;
  }

  pop(): number {
    const heap = this.#heap;
    const smallest = heap[0] ?? 0;
    const size = --this.size;
    const last = heap[size] ?? 0;
    let index = 0;
    for (let child = 1; child < size; child = 2 * index + 1) {
      if (child + 1 < size && (heap[child + 1] ?? 0) < (heap[child] ?? 0)) child++;
      const below = heap[child] ?? 0;
      if (below >= last) break;
      heap[index] = below;
      index = child;
    }
    heap[index] = last;
    return smallest;
  }
}
