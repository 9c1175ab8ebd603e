import type { Database } from "./database.ts";

/** How often a step is tried again before the store gives up; each failure means that another one went through. */
const maxAttempts = 1000;

/** Reads of a database, and changes that happen together if nothing that was read has changed meanwhile. */
export class Transaction {
  readonly #database: Database;
  readonly #signal: AbortSignal | undefined;
  readonly #seen: Map<string, string | undefined> = new Map();
  readonly #set: Map<string, string> = new Map();
  readonly #add: Map<string, number> = new Map();
  readonly #mark: Set<string> = new Set();
  readonly #remove: Set<string> = new Set();
  readonly #keep: string[] = [];
  readonly #drop: string[] = [];

  constructor(database: Database, signal?: AbortSignal) {
    this.#database = database;
    this.#signal = signal;
  }

  /** Reads many values in one trip, for later calls of `get` and `sum`. */
  async load(names: Iterable<string>): Promise<void> {
    const unknown = [...new Set(names)].filter((name) => !this.#seen.has(name));
    const texts = await this.#database.get(unknown, { signal: this.#signal });
    for (const [index, name] of unknown.entries()) this.#seen.set(name, texts[index]);
  }

  /** The value with the changes of this transaction. */
  async get<T>(name: string): Promise<T | undefined> {
    if (this.#remove.has(name)) return undefined;
    const text = this.#set.get(name) ?? (await this.#read(name));
    return text === undefined ? undefined : JSON.parse(text);
  }

  /** The counter with the changes of this transaction; 0 where there is none. */
  async sum(name: string): Promise<number> {
    return Number((await this.#read(name)) ?? 0) + this.added(name);
  }

  /** What this transaction adds to a counter. */
  added(name: string): number {
    return this.#add.get(name) ?? 0;
  }

  /** Names in the database, without those that this transaction removes; not part of what must not change. */
  async *list(prefix: string): AsyncIterable<string> {
    const limit = 100;
    for (let after = ""; ;) {
      const names = await this.#database.list(prefix, { after, limit, signal: this.#signal });
      for (const name of names) if (!this.#remove.has(name)) yield name;
      if (names.length < limit) return;
      after = (names.at(-1) ?? "").slice(prefix.length);
    }
  }

  set(name: string, value: unknown): void {
    this.#remove.delete(name);
    this.#set.set(name, JSON.stringify(value));
  }

  add(name: string, amount: number): void {
    this.#add.set(name, this.added(name) + amount);
  }

  mark(name: string): void {
    this.#remove.delete(name);
    this.#mark.add(name);
  }

  remove(...names: string[]): void {
    for (const name of names) {
      this.#set.delete(name);
      this.#mark.delete(name);
      this.#remove.add(name);
    }
  }

  keepPieces(names: readonly string[]): void {
    for (const name of names) this.#keep.push(name);
  }

  dropPieces(names: readonly string[]): void {
    for (const name of names) this.#drop.push(name);
  }

  /** False where something that was read has changed. */
  commit(): Promise<boolean> {
    const changes = { set: this.#set, add: this.#add, mark: this.#mark, remove: this.#remove };
    return this.#database.write({
      seen: this.#seen,
      ...changes,
      keep: this.#keep,
      drop: this.#drop,
    });
  }

  /** True while all that was read is as it was. */
  isCurrent(): Promise<boolean> {
    const nothing = { set: new Map(), add: new Map(), mark: [], remove: [], keep: [], drop: [] };
    return this.#database.write({ seen: this.#seen, ...nothing });
  }

  async #read(name: string): Promise<string | undefined> {
    if (!this.#seen.has(name)) await this.load([name]);
    return this.#seen.get(name);
  }
}

/**
 * Runs the action until its changes went through; it may run many times. What it throws counts only if all that it read
 * still stands. The signal stops it between attempts and in reads, never in the deciding write.
 */
export async function transact<T>(
  database: Database,
  action: (transaction: Transaction) => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
    signal?.throwIfAborted();
    const transaction = new Transaction(database, signal);
    const outcome = await action(transaction).then(
      (value) => ({ value }),
      (error: unknown) => ({ error }),
    );
    if ("value" in outcome && (await transaction.commit())) return outcome.value;
    if ("error" in outcome && (await transaction.isCurrent())) throw outcome.error;
  }
  throw new Error(`Other writers changed the same artifacts in ${maxAttempts} attempts`);
}
