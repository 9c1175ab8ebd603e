import type { KeyRange } from "./key-value.ts";

/** Values by key, in the order of the keys. */
export class SortedKeys<Value> {
  readonly #values: Map<string, Value> = new Map();
  /** Undefined while keys were added that are not sorted yet. */
  #sorted: string[] | undefined = [];

  get(key: string): Value | undefined {
    return this.#values.get(key);
  }

  get size(): number {
    return this.#values.size;
  }

  set(key: string, value: Value | undefined): void {
    if (value === undefined) {
      if (this.#values.delete(key)) this.#sorted = undefined;
      return;
    }
    if (!this.#values.has(key)) {
      if (this.#sorted !== undefined && (this.#sorted.at(-1) ?? "") < key) this.#sorted.push(key);
      else this.#sorted = undefined;
    }
    this.#values.set(key, value);
  }

  list({ from, before, limit }: KeyRange): [key: string, value: Value][] {
    this.#sorted ??= [...this.#values.keys()].sort();
    const found: [string, Value][] = [];
    for (let at = firstFrom(this.#sorted, from); found.length < limit; at += 1) {
      const key = this.#sorted[at];
      const value = key === undefined ? undefined : this.#values.get(key);
      if (key === undefined || value === undefined || key >= before) break;
      found.push([key, value]);
    }
    return found;
  }
}

function firstFrom(sorted: readonly string[], key: string): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? "") < key) low = middle + 1;
    else high = middle;
  }
  return low;
}
