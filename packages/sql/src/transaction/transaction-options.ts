/** Options of `transaction`. */
export interface TransactionOptions {
  /**
   * `write` (default) holds SQLite's write lock from the start, so that another writer cannot make
   * the transaction fail half-way. `read` sees a single state of the database throughout and must
   * not write. `statement` is for a single reading statement, which needs no transaction.
   */
  mode?: "read" | "statement" | "write" | undefined;
  /** An abort before the commit rolls the transaction back. */
  signal?: AbortSignal | undefined;
}

/** The action of a transaction. It may use only the connection passed to it. */
export type TransactionAction<Transaction, T> = {
  // Declared as a method, so that one implementation can serve actions of both kinds of database.
  run(transaction: Transaction): T | Promise<T>;
}["run"];
