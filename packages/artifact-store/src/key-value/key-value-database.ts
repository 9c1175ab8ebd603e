/**
 * The four calls that a store needs from a database. Keys are ASCII without spaces, up to 200 characters. Values are up
 * to 1 MiB. Once the promise of a `set` or `delete` has resolved, every later call sees the change. A reader never sees
 * a partial value. An error that these calls throw becomes the cause of an `unavailable` error.
 */
export interface KeyValueDatabase {
  /** Returns undefined or null if the key does not exist. */
  get(key: string): Promise<Uint8Array | ArrayBuffer | undefined | null>;
  /** Adds or replaces. The database may keep the bytes without copying them. */
  set(key: string, value: Uint8Array): Promise<unknown>;
  /** Does nothing if the key does not exist. */
  delete(key: string): Promise<unknown>;
  /** Returns all keys that begin with the prefix, in any order. */
  keys(prefix: string): Promise<Iterable<string>> | Iterable<string> | AsyncIterable<string>;
}
