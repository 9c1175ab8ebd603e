import type { Database, ListNamesOptions, Write } from "./database.ts";

/** Stands in where there is no Redis: the same calls over maps of this process, where staged bytes do not expire. */
export class MemoryDatabase implements Database {
  readonly #values: Map<string, string> = new Map();
  readonly #names: Set<string> = new Set();
  readonly #pieces: Map<string, Uint8Array> = new Map();

  async get(names: readonly string[]): Promise<(string | undefined)[]> {
    return names.map((name) => this.#values.get(name));
  }

  async list(prefix: string, { after = "", limit }: ListNamesOptions): Promise<string[]> {
    const found = [...this.#names].filter(
      (name) => name.startsWith(prefix) && name > prefix + after,
    );
    return found.sort().slice(0, limit);
  }

  async putPiece(name: string, bytes: Uint8Array): Promise<void> {
    this.#pieces.set(name, bytes.slice());
  }

  async getPiece(name: string): Promise<Uint8Array | undefined> {
    return this.#pieces.get(name)?.slice();
  }

  async dropPieces(names: readonly string[]): Promise<void> {
    for (const name of names) this.#pieces.delete(name);
  }

  // One step, since nothing in it waits.
  async write({ seen, keep, drop, remove, mark, set, add }: Write): Promise<boolean> {
    for (const [name, value] of seen) if (this.#values.get(name) !== value) return false;
    for (const name of keep)
      if (!this.#pieces.has(name)) throw new Error("Staged bytes have expired");
    for (const name of drop) this.#pieces.delete(name);
    for (const name of remove) {
      this.#values.delete(name);
      this.#names.delete(name);
    }
    for (const name of mark) this.#names.add(name);
    for (const [name, value] of set) this.#values.set(name, value);
    for (const [name, amount] of add) {
      const sum = Number(this.#values.get(name) ?? 0) + amount;
      if (sum === 0) this.#values.delete(name);
      else this.#values.set(name, String(sum));
    }
    return true;
  }
}
