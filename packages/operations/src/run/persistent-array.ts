const bits = 5;
const width = 2 ** bits;
const mask = width - 1;

/** An array that keeps its old self: setting an item copies some 32 of them and shares the rest. */
export interface PersistentArray<T> {
  readonly length: number;
  readonly chunks: readonly (readonly T[])[];
}

/** An array whose items are read and set in place. */
export interface ArrayDraft<T> {
  /** @throws RangeError beyond the end */
  at(index: number): T;
  set(index: number, item: T): void;
}

/** A persistent array of the items that are given. */
export function persistentArray<T>(items: readonly T[]): PersistentArray<T> {
  const chunks: T[][] = [];
  for (let from = 0; from < items.length; from += width)
    chunks.push(items.slice(from, from + width));
  return { length: items.length, chunks };
}

/** The item at an index. @throws RangeError beyond the end */
export function itemAt<T>({ chunks, length }: PersistentArray<T>, index: number): T {
  const item = chunks[index >> bits]?.[index & mask];
  if (item === undefined) throw new RangeError(`There is no item ${index} among ${length}.`);
  return item;
}

/** Changes to a persistent array that nobody sees before they are done, so that each part is copied once. */
export class SharingDraft<T> implements ArrayDraft<T> {
  readonly #before: PersistentArray<T>;
  readonly #after: { length: number; chunks: (readonly T[])[] };
  /** By chunk: the copy that may be changed, and stands among the chunks. */
  readonly #own: T[][] = [];

  constructor(before: PersistentArray<T>) {
    this.#before = before;
    this.#after = { length: before.length, chunks: before.chunks.slice() };
  }

  at(index: number): T {
    return itemAt(this.#after, index);
  }

  set(index: number, item: T): void {
    const at = index >> bits;
    let chunk = this.#own[at];
    if (chunk === undefined) {
      chunk = (this.#after.chunks[at] ?? []).slice();
      this.#own[at] = chunk;
      this.#after.chunks[at] = chunk;
    }
    chunk[index & mask] = item;
  }

  /** The array with what was set; the one that the draft was made of where nothing was. */
  finish(): PersistentArray<T> {
    return this.#own.length === 0 ? this.#before : this.#after;
  }
}

/** A copy of its own, for one who changes it for good. */
export class FlatDraft<T> implements ArrayDraft<T> {
  readonly #items: T[];

  constructor(items: readonly T[]) {
    this.#items = items.slice();
  }

  at(index: number): T {
    const item = this.#items[index];
    if (item === undefined)
      throw new RangeError(`There is no item ${index} among ${this.#items.length}.`);
    return item;
  }

  set(index: number, item: T): void {
    this.#items[index] = item;
  }
}

/** All items in order. */
export function itemsOf<T>(array: PersistentArray<T>): T[] {
  return array.chunks.flat();
}
