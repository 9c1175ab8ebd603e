/** A key and its text. Undefined if there is no text. */
export type KeyValueEntry = readonly [key: string, text: string | undefined];

/** A range of keys: from one key up to, not including, another. */
export interface KeyRange {
  from: string;
  before: string;
  limit: number;
}

/** A step: what it checks and what it writes. */
export interface KeyValueCommit {
  /** The texts that these keys must have before the step. */
  checks: readonly KeyValueEntry[];
  /** The texts that these keys have after the step. */
  writes: readonly KeyValueEntry[];
}

/**
 * What records need of a database: sorted keys, and one step that checks and writes. Keys are printable ASCII of up to
 * 1,500 characters, case-sensitive. Texts are Unicode without line feeds, usually short, some of several MiB.
 */
export interface KeyValue {
  /** The texts, in the order of the keys. */
  get(keys: readonly string[]): Promise<readonly (string | undefined)[]>;
  /** Sorted by key. A page may hold fewer than `limit` entries. Only an empty page is the end. */
  list(range: KeyRange): Promise<readonly (readonly [key: string, text: string])[]>;
  /**
   * Writes everything, or returns false and writes nothing if a check fails. A database without transactions writes in
   * the given order: readers, and a crash, may then see only the first of the writes, which records allow for.
   */
  commit(commit: KeyValueCommit): Promise<boolean>;
  close?(): Promise<void>;
}
