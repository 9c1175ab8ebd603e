/** How a transaction runs. */
export interface TransactionOptions {
  /**
   * `write` (default) holds the write lock from the start on SQLite, so that it can't fail half-way for another writer's
   * sake; `read` sees one state of the database throughout, and must not write.
   */
  mode?: "read" | "write" | undefined;
  /** Aborted before the commit, the transaction is undone. */
  signal?: AbortSignal | undefined;
}

/** What runs in a transaction: on the connection that it is given, and no other. */
export type TransactionAction<Transaction, T> = {
  // Written as a method, so that one implementation may serve actions of either kind of database.
  run(transaction: Transaction): T | Promise<T>;
}["run"];
