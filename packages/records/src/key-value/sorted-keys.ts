import type { KeyRange } from "./key-value.ts";

const maxPlaced = 32;

/** Values by key, sorted by key. */
export class SortedKeys<Value> {
  readonly #values: Map<string, Value> = new Map();
  readonly #keys: string[] = [];
  /** Keys that have not been sorted in yet. */
  #added: string[] = [];

  get(key: string): Value | undefined {
    return this.#values.get(key);
  }

  set(key: string, value: Value | undefined): void {
    if (value === undefined) {
      if (this.#values.delete(key)) this.#keys.splice(firstFrom(this.#sorted(), key), 1);
      return;
    }
    if (!this.#values.has(key)) this.#added.push(key);
    this.#values.set(key, value);
  }

  list({ from, before, limit }: KeyRange): [key: string, value: Value][] {
    const sorted = this.#sorted();
    const found: [string, Value][] = [];
    for (let at = firstFrom(sorted, from); found.length < limit; at += 1) {
      const key = sorted[at];
      const value = key === undefined ? undefined : this.#values.get(key);
      if (key === undefined || value === undefined || key >= before) break;
      found.push([key, value]);
    }
    return found;
  }

  #sorted(): string[] {
    const [keys, added] = [this.#keys, this.#added];
    this.#added = [];
    // Inserts a few keys one by one, because sorting would compare all keys.
    if (added.length <= maxPlaced)
      for (const key of added) keys.splice(firstFrom(keys, key), 0, key);
    else {
      for (const key of added) keys.push(key);
      keys.sort();
    }
    return keys;
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
