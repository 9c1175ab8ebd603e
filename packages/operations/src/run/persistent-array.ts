const bits = 5;
const width = 2 ** bits;
const mask = width - 1;

/** An array that keeps its old self: setting an item copies some 32 of them and shares the rest. */
export interface PersistentArray<T> {
  readonly length: number;
  readonly chunks: readonly (readonly T[])[];
}

/** Changes to a persistent array that nobody sees before they are done, so that each part is copied once. */
export interface ArrayDraft<T> {
  readonly length: number;
  readonly chunks: (readonly T[])[];
  /** By chunk: the copy that may be changed, and stands among the chunks. */
  readonly own: T[][];
}

/** A persistent array of the items that are given. */
export function persistentArray<T>(items: readonly T[]): PersistentArray<T> {
  const chunks: T[][] = [];
  for (let from = 0; from < items.length; from += width) chunks.push(items.slice(from, from + width));
  return { length: items.length, chunks };
}

/** A draft that shares everything with its array. */
export function draftOf<T>({ length, chunks }: PersistentArray<T>): ArrayDraft<T> {
  return { length, chunks: chunks.slice(), own: [] };
}

/** The item at an index. @throws RangeError beyond the end */
export function itemAt<T>({ chunks, length }: PersistentArray<T>, index: number): T {
  const item = chunks[index >> bits]?.[index & mask];
  if (item === undefined) throw new RangeError(`There is no item ${index} among ${length}.`);
  return item;
}

/** Sets an item of a draft. */
export function setItem<T>({ chunks, own }: ArrayDraft<T>, index: number, item: T): void {
  const at = index >> bits;
  let chunk = own[at];
  if (chunk === undefined) {
    chunk = (chunks[at] ?? []).slice();
    own[at] = chunk;
    chunks[at] = chunk;
  }
  chunk[index & mask] = item;
}

/** The draft's array; the array that it was made of where nothing was set. */
export function finishDraft<T>({ own, chunks, length }: ArrayDraft<T>, before: PersistentArray<T>): PersistentArray<T> {
  return own.length === 0 ? before : { length, chunks };
}

/** All items in order. */
export function itemsOf<T>(array: PersistentArray<T>): T[] {
  return array.chunks.flat();
}
