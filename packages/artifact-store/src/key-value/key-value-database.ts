/**
 * The four calls that a store needs of a database. Keys are ASCII without spaces, up to 200 characters. Values are up
 * to 1 MiB. Once the promise of a `set` or `delete` has resolved, every later call sees the change. A reader never sees
 * half a value. What these calls throw reaches the caller as the cause of an `unavailable`.
 */
export interface KeyValueDatabase {
  /** Undefined or null if there is no such key. */
  get(key: string): Promise<Uint8Array | ArrayBuffer | undefined | null>;
  /** Adds or replaces. The database may keep the bytes without copying them. */
  set(key: string, value: Uint8Array): Promise<unknown>;
  /** Does nothing if there is no such key. */
  delete(key: string): Promise<unknown>;
  /** All keys that begin with the prefix, in any order. */
  keys(prefix: string): Promise<Iterable<string>> | Iterable<string> | AsyncIterable<string>;
}
