/**
 * What a store needs of a database: four calls. Keys are ASCII without spaces, up to 200 characters; values are up to
 * 1 MiB. A `set` or `delete` is there for every later call once its promise has resolved, and a value is never seen half
 * written. What these calls throw reaches the caller as the cause of a `store_failed`.
 */
export interface KeyValueDatabase {
  /** Undefined or null where there is no such key. */
  get(key: string): Promise<Uint8Array | ArrayBuffer | undefined | null>;
  /** Adds or replaces; the bytes are the database's to keep. */
  set(key: string, value: Uint8Array): Promise<unknown>;
  /** Does nothing where there is no such key. */
  delete(key: string): Promise<unknown>;
  /** All keys that begin with the prefix, in any order. */
  keys(prefix: string): Promise<Iterable<string>> | Iterable<string> | AsyncIterable<string>;
}
