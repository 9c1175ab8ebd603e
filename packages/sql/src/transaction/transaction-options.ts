/** How a transaction runs. */
export interface TransactionOptions {
  /**
   * `write` (default) holds SQLite's write lock from the start, so that the transaction cannot fail half-way because of
   * another writer. `read` sees one state of the database throughout and must not write. `statement` is for one statement
   that reads, which needs no transaction of its own.
   */
  mode?: "read" | "statement" | "write" | undefined;
  /** An abort before the commit rolls the transaction back. */
  signal?: AbortSignal | undefined;
}

/** The action of a transaction. It must use the connection that it is given and no other. */
export type TransactionAction<Transaction, T> = {
  // Declared as a method, so that one implementation can serve actions of both kinds of database.
  run(transaction: Transaction): T | Promise<T>;
}["run"];
