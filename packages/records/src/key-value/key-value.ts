/** A text under a key; undefined where there is none. */
export type KeyValueEntry = readonly [key: string, text: string | undefined];

/** The keys from one on that sort before another. */
export interface KeyRange {
  from: string;
  before: string;
  limit: number;
}

/** What changes in one step. */
export interface KeyValueCommit {
  /** What has to stand under these keys. */
  checks: readonly KeyValueEntry[];
  /** What stands under these keys afterwards. */
  writes: readonly KeyValueEntry[];
}

/**
 * What records need of a database: sorted keys, and one step that checks and writes. Keys are printable ASCII of up to
 * 1,500 characters in which case matters; texts are Unicode without line feeds, usually short, some of several MiB.
 */
export interface KeyValue {
  /** The texts in the order of the keys. */
  get(keys: readonly string[]): Promise<readonly (string | undefined)[]>;
  /** Sorted by key. A page may hold fewer than `limit`; only an empty one is the end. */
  list(range: KeyRange): Promise<readonly (readonly [key: string, text: string])[]>;
  /**
   * Writes all or nothing; false, and nothing written, if a check does not hold. A database without transactions writes in
   * the given order: readers and a crash then see a beginning of the writes, which records allow for.
   */
  commit(commit: KeyValueCommit): Promise<boolean>;
  close?(): Promise<void>;
}
